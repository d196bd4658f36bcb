import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Command, Subcommand } from "../../src/cli/command.ts";
import { COMMAND_GROUPS, COMMANDS } from "../../src/cli/definitions/index.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { parse } from "../../src/cli/parse.ts";
import { malipo } from "./in-process.ts";

/** Every way to call a command. */
const CALLS = COMMANDS.flatMap((command) =>
  command.subcommands.map((subcommand) => {
    const words = [command.name, subcommand.name].filter((word) => word !== undefined);
    return { name: words.join(" "), words, command, subcommand };
  }),
);

/** A word for every argument. */
const wordsFor = ({ args = [] }: Subcommand) => args.map(({ values }) => values?.[0] ?? "x");

describe.concurrent("malipo", () => {
  test.each([[], ["--help"], ["-h"], ["help"]])("lists its commands: %j", async (...args) => {
    const { code, stdout, stderr } = await malipo(args);
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    const sections = stdout.split("\n\n");
    for (const { title, commands } of COMMAND_GROUPS) {
      const own = sections.find((section) => section.startsWith(`${title}\n`)) ?? "";
      expect(own.split("\n")).toHaveLength(commands.length + 1);
      for (const { name, summary } of commands) {
        expect(own).toMatch(
          new RegExp(`^ {2}${name} +${summary.replace(/[.()+*?]/g, "\\$&")}$`, "m"),
        );
      }
    }
    expect(stdout).toContain("Exit codes");
    expect(stdout).toContain("MALIPO_API_KEY");
    expect(stdout).not.toContain("\u001b");
  });

  test.for([
    ["sandbo", 'Did you mean "sandbox"?'],
    ["payment", 'Did you mean "payments"?'],
    ["invioces", 'Did you mean "invoices"?'],
    ["--sandbox", 'Unknown flag "--sandbox"'],
    ["xyzzy", "Use one of: sandbox, "],
  ])("rejects %s, and suggests a command", async ([word = "", message = ""], { expect }) => {
    const { code, stdout, stderr } = await malipo([word]);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toContain(message);
  });
});

test("the manual names every command that asks before it changes something", () => {
  const [, sentence = ""] =
    /Only (.*) ask questions/.exec(readFileSync("docs/reference/cli.md", "utf8")) ?? [];
  const asking = CALLS.filter(({ subcommand }) =>
    subcommand.flags.some(({ name }) => name === "yes"),
  );
  expect(asking.length).toBeGreaterThan(2);
  for (const { name } of asking) expect(sentence).toContain(name);
});

test("the help promises no more of a call that creates something than the client does", () => {
  const creating = CALLS.filter(({ subcommand }) => subcommand.creates);
  expect(creating.length).toBeGreaterThan(3);
  for (const { subcommand } of creating) {
    expect(subcommand.summary).toContain(
      "Retried automatically only while nothing can have happened.",
    );
  }
});

describe.concurrent("the help", () => {
  test.for(CALLS)("of malipo $name is complete", async ({ words, subcommand }, { expect }) => {
    const { code, stdout, stderr } = await malipo([...words, "--help"]);
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    expect(stdout).toContain(`malipo ${words.join(" ")}`);
    expect(stdout).toContain(subcommand.summary);
    for (const flag of subcommand.flags) expect(stdout).toContain(`--${flag.name}`);
    for (const example of subcommand.examples) expect(stdout).toContain(`malipo ${example}`);
  });

  test.for(COMMANDS.filter(({ subcommands }) => subcommands.length > 1))(
    "of malipo $name lists its subcommands, with --help and without",
    async ({ name, subcommands }, { expect }) => {
      const [withFlag, bare] = await Promise.all([malipo([name, "--help"]), malipo([name])]);
      expect(withFlag.stdout).toBe(bare.stdout);
      for (const one of subcommands) {
        expect(withFlag.stdout).toContain(["malipo", name, one.name].filter(Boolean).join(" "));
      }
    },
  );
});

test("an unknown flag is rejected, as text and as JSON", async () => {
  const args = ["payments", "list", "--jsno"];
  const { code, stdout, stderr } = await malipo(args);
  expect([code, stdout]).toEqual([EXIT.usage, ""]);
  expect(stderr).toContain('Unknown flag "--jsno". Did you mean "--json"?');
  const asJson = await malipo([...args, "--json"]);
  expect([asJson.code, asJson.stderr]).toEqual([EXIT.usage, ""]);
  expect(asJson.json().error).toMatchObject({ code: "usage", exit_code: EXIT.usage });
});

describe("parse", () => {
  const parsing =
    (...argv: string[]) =>
    () =>
      parse(COMMANDS, argv);

  test.each(CALLS)("accepts every example of malipo $name", ({ command, subcommand }) => {
    for (const example of subcommand.examples) {
      const argv = example.split(" ").slice(0, shellEnd(example));
      expect(parse(COMMANDS, argv)).toMatchObject({ kind: "call", command, subcommand });
    }
  });

  test.each(CALLS)("rejects an unknown flag of malipo $name", ({ words, subcommand }) => {
    expect(parsing(...words, ...wordsFor(subcommand), "--jsno")).toThrow(
      'Unknown flag "--jsno". Did you mean "--json"?',
    );
  });

  test.each(CALLS)("requires the arguments of malipo $name, and takes no more", (call) => {
    const { words, subcommand } = call;
    const required = (subcommand.args ?? []).filter(({ optional }) => !optional);
    if (required.length > 0) {
      expect(parsing(...words)).toThrow(`requires <${required[0]?.name}>`);
    }
    const more = parsing(...words, ...wordsFor(subcommand), "extra");
    // The last argument may be repeated, such as the ids of `inbox drop`.
    if (subcommand.args?.at(-1)?.repeatable) expect(more).not.toThrow();
    else expect(more).toThrow('"extra"');
  });

  const withValue = CALLS.flatMap(({ words, subcommand }) =>
    subcommand.flags
      .filter(({ value }) => value !== undefined)
      .map((flag) => ({ words: [...words, ...wordsFor(subcommand)], flag })),
  );

  test.each(withValue)("requires a value for $words --$flag.name", ({ words, flag }) => {
    expect(parsing(...words, `--${flag.name}`)).toThrow(`--${flag.name} requires a value`);
    expect(parsing(...words, `--${flag.name}`, "--json")).toThrow("requires a value");
    const value = flag.choices?.[0] ?? "x=1";
    const twice = [`--${flag.name}`, value, `--${flag.name}=${value}`];
    if (flag.repeatable) expect(parsing(...words, ...twice)).not.toThrow();
    else expect(parsing(...words, ...twice)).toThrow("only once");
    if (flag.choices) expect(parsing(...words, `--${flag.name}`, "xyzzy")).toThrow("cannot be");
  });

  const withDefault = withValue.filter(({ flag }) => flag.default !== undefined);

  test.each(withDefault)("fills in the default of $words --$flag.name", ({ words, flag }) => {
    const { name, default: literal, choices } = flag;
    // With a flag: only the name of a command may print the help.
    expect(parsing(...words, "--json")()).toMatchObject({ input: { flags: { [name]: literal } } });
    const given = choices?.at(-1) ?? "1";
    expect(parsing(...words, `--${name}`, given)()).toMatchObject({
      input: { flags: { [name]: given } },
    });
  });

  test("a switch takes no value, and a number keeps its minus", () => {
    expect(parsing("clock", "now", "--json=yes")).toThrow("does not take a value");
    expect(parsing("clock", "advance", "-5s")()).toMatchObject({ input: { args: ["-5s"] } });
  });

  test("takes flags without a subcommand if one has no name", () => {
    expect(parsing("learn", "--to", "https://a.example")()).toMatchObject({
      kind: "call",
      subcommand: { summary: expect.stringContaining("proxy") },
    });
    expect(parsing("learn", "report", "a.json")()).toMatchObject({
      subcommand: { name: "report" },
    });
    expect(parsing("learn", "reprot", "a.json")).toThrow('Did you mean "report"?');
    expect(parsing("learn")()).toMatchObject({ kind: "help" });
  });

  test("has no flag for the API key, because other users can see a command line", () => {
    const names = COMMANDS.flatMap(({ subcommands }: Command) => subcommands)
      .flatMap(({ flags }) => flags)
      .map(({ name }) => name);
    expect(new Set(names.filter((name) => name.includes("key")))).toEqual(
      new Set(["key-file", "public-key-file"]),
    );
    expect(parsing("payments", "list", "--api-key", "sk_1")).toThrow('Unknown flag "--api-key"');
  });
});

/** The number of words before the shell takes over: `sign - < body.json`. */
function shellEnd(example: string): number | undefined {
  const at = example.split(" ").findIndex((word) => ["<", ">", "|"].includes(word));
  return at < 0 ? undefined : at;
}
