import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Subcommand } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/definitions/index.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { malipo } from "./in-process.ts";

// No command reaches a service or a sandbox here: a wrong value is found before anything is sent.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "malipo-usage-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The exit code of a call that must not succeed. */
async function exitCodeOf(argv: readonly string[]): Promise<number | null> {
  const env = {
    XDG_RUNTIME_DIR: folder,
    MALIPO_API_KEY: "sb_1",
    MALIPO_BASE_URL: "http://127.0.0.1:1/v1",
    MALIPO_WEBHOOK_SECRET: "whsec_1",
  };
  return (await malipo(argv, { env, cwd: folder })).code;
}

/** What a flag does not take, by what its value is called. */
const WRONG: Readonly<Record<string, string>> = {
  number: "x",
  duration: "61",
  time: "yesterday",
  date: "2026-13-45",
  url: "x y",
  origin: "x",
  amount: "1.2.3",
  "name=value": "x",
  "path=text": "x",
  json: "{",
  times: "often",
  balance: "much",
  file: "/nowhere/at/all",
  path: "/nowhere/at/all",
};

/** A word for every argument that is required, such as its example in the help. */
function wordsFor({ args, examples }: Subcommand, words: readonly string[]): string[] {
  const [example = ""] = examples;
  const given = example
    .split(" ")
    .slice(words.length)
    .filter((word) => !word.startsWith("-"));
  return args
    .filter(({ optional }) => !optional)
    .map(({ values }, at) => values?.[0] ?? given[at] ?? "x");
}

const CALLS = COMMANDS.flatMap(({ name, subcommands }) =>
  subcommands.map((subcommand) => {
    const words = [name, subcommand.name].filter((word) => word !== undefined);
    return { words, subcommand, argv: [...words, ...wordsFor(subcommand, words)] };
  }),
);

// An address nowhere: whoever asks before it checks exits with 3.
const NOWHERE = ["--url", "http://127.0.0.1:1"];

/** What is not wrong, or is found later. */
const EXCEPTIONS: readonly string[] = [
  // A path of the service, not of a file.
  "faults add --path",
  // The file is written when the sandbox has told its settings.
  "env --write",
  // It says what is wrong with the URL, as with everything else, and exits with 1.
  "doctor --base-url",
];

const WITH_FLAGS = CALLS.flatMap(({ words, argv, subcommand }) =>
  subcommand.flags.flatMap(({ name, value = "" }) => {
    const wrong = WRONG[value];
    if (wrong === undefined || EXCEPTIONS.includes(`${words.join(" ")} --${name}`)) return [];
    const takesUrl = subcommand.flags.some((one) => one.name === "url") && name !== "url";
    // A sandbox of the developer may have the default port.
    const takesPort = subcommand.flags.some((one) => one.name === "port") && name !== "port";
    const others = [...(takesUrl ? NOWHERE : []), ...(takesPort ? ["--port=0"] : [])];
    return [[...argv, `--${name}=${wrong}`, ...others]];
  }),
);

describe("a wrong use exits with 2, before anything is sent:", () => {
  test("an unknown command, subcommand or flag, and a missing argument", async () => {
    expect(await exitCodeOf(["xyzzy"])).toBe(EXIT.usage);
    for (const { words, argv, subcommand } of CALLS) {
      expect(await exitCodeOf([...argv, "--xyzzy"])).toBe(EXIT.usage);
      if (argv.length > words.length) expect(await exitCodeOf(words)).toBe(EXIT.usage);
      if (subcommand.name !== undefined) {
        expect(await exitCodeOf([words[0] ?? "", "xyzzy"])).toBe(EXIT.usage);
      }
    }
  });

  test.each(WITH_FLAGS.map((argv) => [argv.join(" "), argv] as const))("%s", async (_, argv) => {
    expect(await exitCodeOf(argv)).toBe(EXIT.usage);
  });

  test.each([
    [["phone", "approve", "nobody"]],
    [["phone", "balance", "0712345678", "much"]],
    [["phone", "always", "0712345678", "sleep"]],
    [["clock", "advance", "61"]],
    [["keys", "revoke", "foo"]],
    [["chaos", "start", "--duplicate", "2"]],
    [["chaos", "start"]],
    [["faults", "add", "fire"]],
  ])("%j", async (argv) => {
    expect(await exitCodeOf([...argv, ...NOWHERE])).toBe(EXIT.usage);
  });
});
