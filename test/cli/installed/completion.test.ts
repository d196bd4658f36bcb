import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/cli/definitions/index.ts";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { ENDPOINTS } from "../../../src/contract/endpoints.ts";
import { EVENT_KINDS } from "../../../src/contract/events.ts";
import { CLI, installedMalipo } from "../command-line.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "malipo-completion-"));
  mkdirSync(join(folder, "files"));
  writeFileSync(join(folder, "files", "an event.json"), "");
  // What `npm install --global malipo` puts into the PATH.
  writeFileSync(join(folder, "malipo"), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(folder, "malipo"), 0o755);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await installedMalipo(["completion", shell]);
    expect(code).toBe(EXIT.ok);
    writeFileSync(join(folder, shell), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the script for zsh loads no completions of other users", async () => {
  const { stdout } = await installedMalipo(["completion", "zsh"]);
  expect(stdout).toContain("compinit -i");
  expect(stdout).not.toContain("compinit -u");
});

function shell(program: string, args: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    cwd: join(folder, "files"),
    env: { ...process.env, HOME: folder, TERM: "dumb", PATH: `${folder}:${process.env.PATH}` },
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

/** What each shell offers at the end of a line. The last word is the one that is being written. */
const SHELLS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  // As readline calls it: `=` is a separate word.
  bash: (words) => {
    const split = words.flatMap((word) => word.split(/(?<=^--[\w-]+)(=)/));
    const given = split.map((word) => `'${word}'`).join(" ");
    return shell("bash", [
      "--norc",
      "-c",
      `source ${join(folder, "bash")}
       COMP_WORDS=(malipo ${given}); COMP_CWORD=${split.length}; _malipo
       printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);
  },
  // The widgets of zsh need a terminal. `compadd` and `_files` print what they are given.
  zsh: (words) =>
    shell("zsh", [
      "-f",
      "-c",
      `autoload -Uz compinit; compinit -u -d '${join(folder, "dump")}'; source ${join(folder, "zsh")}
       compadd() { local name=\${@[-1]}; for one in \${(P)name}; do [[ $one == \${PREFIX}* ]] && print -r -- $one; done }
       _files() { print -rl -- *(N) }
       words=(malipo ${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length + 1}
       PREFIX=$words[CURRENT]; _malipo; true`,
    ]),
  fish: (words) =>
    shell("fish", [
      "--no-config",
      "-c",
      `source ${join(folder, "fish")}; complete --do-complete 'malipo ${words.join(" ")}'`,
    ])
      // The meaning follows a tab.
      .map((line) => line.split("\t")[0] ?? ""),
};

const names = COMMANDS.map(({ name }) => name);

const CASES: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
  [["sand"], ["sandbox"]],
  [
    ["payments", "in"],
    ["initiate", "initiate-raw"],
  ],
  [["sandbox", "--clo"], ["--clock"]],
  [
    ["sandbox", "--clock", ""],
    ["real", "virtual"],
  ],
  [["sandbox", "--json", "--clock", "v"], ["virtual"]],
  [["sandbox", "--clock=v"], ["virtual"]],
  [["payments", "initiate", "--amount", "5", "--ph"], ["--phone"]],
  [["trigger", "payment.c"], ["payment.completed"]],
  [["trigger", ""], EVENT_KINDS],
  [["faults", "add", "lost"], ["lostResponse"]],
  [
    ["faults", "add", "--endpoint", "merchant."],
    ["merchant.get", "merchant.paymentAccounts"],
  ],
  [["faults", "add", "--endpoint", ""], Object.keys(ENDPOINTS)],
  [["webhooks", "register", "https://a.example", "--event", "invoice.p"], ["invoice.paid"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["sign", "--secret-file", ""], ["an event.json"]],
  [["payments", "list", "--key-file", ""], ["an event.json"]],
];

const isInstalled = (name: string) => spawnSync(name, ["-c", "true"]).status === 0;

describe.each(
  Object.keys(SHELLS).map((name) => {
    const runs = isInstalled(name);
    return { name, runs, title: runs ? name : `${name}, which is NOT INSTALLED and so NOT TRIED` };
  }),
)("in $title", ({ name, runs }) => {
  // zsh and fish offer a value after = with its flag.
  const complete = (words: readonly string[]) =>
    (SHELLS[name]?.(words) ?? []).map((one) => one.replace(/^--[\w-]+=(?=.)/, "")).sort();

  test.runIf(runs)("the first word is a command", () => {
    expect(complete([""])).toEqual(expect.arrayContaining(names));
  });

  test.runIf(runs).each(CASES)("%j is completed", (words, expected) => {
    const found = complete(words).map((one) => one.replaceAll("\\", ""));
    expect(found).toEqual([...expected].sort());
  });

  test.runIf(runs)("a flag is offered only with a command that takes it", () => {
    expect(complete(["merchant", "get", "--"])).toEqual(
      ["--base-url", "--env-file", "--help", "--json", "--key-file"].sort(),
    );
  });
});

test("an unknown shell is an error that names a shell", async () => {
  const { code, stderr } = await installedMalipo(["completion", "csh"]);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toContain('Did you mean "zsh"?');
});
