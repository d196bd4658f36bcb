import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/definitions/index.ts";
import type { Command, Form } from "../../src/cli/definitions/types.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { parse } from "../../src/cli/parse.ts";
import { malipo } from "./command-line.ts";

/** Every way of calling a command. */
const FORMS = COMMANDS.flatMap((command) =>
  command.forms.map((form) => ({
    name: [command.name, form.action].filter(Boolean).join(" "),
    words: [command.name, form.action].filter((word) => word !== undefined),
    command,
    form,
  })),
);

/** Words for what a form cannot do without. */
const argsOf = ({ args = [] }: Form) => args.map(() => "x");

describe.concurrent("malipo", () => {
  test.each([[], ["--help"], ["-h"], ["help"]])("lists its commands: %j", async (...args) => {
    const { code, stdout, stderr } = await malipo(args);
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    for (const { summary } of COMMANDS) expect(stdout).toContain(summary);
    expect(stdout).toContain("Exit codes");
    expect(stdout).toContain("MALIPO_API_KEY");
    expect(stdout).not.toContain("\u001b");
  });

  test("says its version", async ({ expect }) => {
    const { stdout } = await malipo(["--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.for([
    ["sandbo", 'Did you mean "sandbox"?'],
    ["payment", 'Did you mean "payments"?'],
    ["invioces", 'Did you mean "invoices"?'],
    ["--sandbox", "There is no flag"],
    ["xyzzy", "There are sandbox, "],
  ])("knows no %s, and says what there is", async ([word = "", said = ""], { expect }) => {
    const { code, stdout, stderr } = await malipo([word]);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toContain(said);
  });

  test("is painted where colour is forced, and plain where NO_COLOR is set", async ({ expect }) => {
    const painted = await malipo(["--help"], { env: { FORCE_COLOR: "1" } });
    expect(painted.stdout).toContain("\u001b[1m");
    const plain = await malipo(["--help"], { env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
  });
});

describe.concurrent("the help of", () => {
  test.for(FORMS)("malipo $name", async ({ words, form }, { expect }) => {
    const { code, stdout, stderr } = await malipo([...words, "--help"]);
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    expect(stdout).toContain(`malipo ${words.join(" ")}`);
    expect(stdout).toContain(form.summary);
    for (const flag of form.flags) expect(stdout).toContain(`--${flag.name}`);
    for (const example of form.examples) expect(stdout).toContain(`malipo ${example}`);
  });

  test.for(COMMANDS.filter(({ forms }) => forms.length > 1))(
    "malipo $name lists its forms, asked for or not",
    async ({ name, forms }, { expect }) => {
      const [asked, bare] = await Promise.all([malipo([name, "--help"]), malipo([name])]);
      expect(asked.stdout).toBe(bare.stdout);
      for (const { action } of forms) expect(asked.stdout).toContain(`malipo ${name} ${action}`);
    },
  );
});

describe.concurrent("a bad flag of", () => {
  test.for(FORMS)("malipo $name is refused, in words and as JSON", async (one, { expect }) => {
    const { words, form } = one;
    const args = [...words, ...argsOf(form), "--jsno"];
    const { code, stdout, stderr } = await malipo(args);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toContain('There is no flag "--jsno" here. Did you mean "--json"?');
    const told = await malipo([...args, "--json"]);
    expect([told.code, told.stderr]).toEqual([EXIT.usage, ""]);
    expect(told.json().error).toMatchObject({ code: "usage", exit_code: EXIT.usage });
  });
});

describe("parsing", () => {
  const parsed =
    (...argv: string[]) =>
    () =>
      parse(COMMANDS, argv);

  test.each(FORMS)("takes every example of malipo $name", ({ command, form }) => {
    for (const example of form.examples) {
      const argv = example.split(" ").slice(0, shellEnd(example));
      expect(parse(COMMANDS, argv)).toMatchObject({ kind: "call", command, form });
    }
  });

  test.each(FORMS)("wants every argument of malipo $name, and no more", ({ words, form }) => {
    const { args = [] } = form;
    const needed = args.filter(({ optional }) => !optional);
    if (needed.length > 0) expect(parsed(...words)).toThrow(`wants <${needed[0]?.name}>`);
    expect(parsed(...words, ...args.map(() => "x"), "extra")).toThrow('with "extra"');
  });

  const valued = FORMS.flatMap(({ words, form }) =>
    form.flags
      .filter(({ value }) => value !== undefined)
      .map((flag) => ({ words: [...words, ...argsOf(form)], flag })),
  );

  test.each(valued)("wants a value for $words --$flag.name", ({ words, flag }) => {
    expect(parsed(...words, `--${flag.name}`)).toThrow("wants a value");
    expect(parsed(...words, `--${flag.name}`, "--json")).toThrow("wants a value");
    const value = flag.choices?.[0] ?? "x=1";
    const twice = [`--${flag.name}`, value, `--${flag.name}=${value}`];
    if (flag.many) expect(parsed(...words, ...twice)).not.toThrow();
    else expect(parsed(...words, ...twice)).toThrow("given twice");
    if (flag.choices) expect(parsed(...words, `--${flag.name}`, "xyzzy")).toThrow("does not take");
  });

  test("gives a switch no value, and a number its minus", () => {
    expect(parsed("clock", "now", "--json=yes")).toThrow("takes no value");
    expect(parsed("clock", "advance", "-5s")()).toMatchObject({ input: { args: ["-5s"] } });
  });

  test("gives no key a flag: what stands in a command line, others can see", () => {
    const names = COMMANDS.flatMap(({ forms }: Command) => forms)
      .flatMap(({ flags }) => flags)
      .map(({ name }) => name);
    expect(names.filter((name) => /key/.test(name))).toEqual(
      names.filter((name) => name === "key-file"),
    );
    expect(parsed("payments", "list", "--api-key", "sk_1")).toThrow("no flag");
  });
});

/** Where the shell takes over: `sign - < body.json`. */
function shellEnd(example: string): number | undefined {
  const at = example.split(" ").findIndex((word) => word === "<" || word === "|");
  return at < 0 ? undefined : at;
}
