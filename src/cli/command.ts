import { type Flag, type FlagRows, flagsOf } from "../internal/flags.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";

/** A positional argument, after the command and its subcommand. */
export interface Argument {
  readonly name: string;
  /** As the help prints it: `<id>`, `[file]`, `<id...>`. */
  readonly usage: string;
  /** What it stands for. */
  readonly summary?: string;
  /** The values that are known. The help lists them, and a shell completes them. */
  readonly values?: readonly string[];
  /** The command itself decides about other values. */
  readonly takesOthers?: true;
  readonly optional?: true;
  /** The last one only: it may be given several times. */
  readonly repeatable?: true;
}

/** One way to call a command. */
export interface Subcommand {
  /** `list` in `events list`. A command with only one way to call it has no subcommand name. */
  readonly name?: string;
  readonly summary: string;
  readonly args: readonly Argument[];
  readonly flags: readonly Flag[];
  /** Without `malipo` at the beginning. */
  readonly examples: readonly string[];
  /** It starts something that happens twice if the command runs twice. */
  readonly creates?: boolean;
  /** It only reads, or it removes or replaces something. */
  readonly effect?: "reads" | "removes" | undefined;
  readonly run: Run;
}

/** The values that flags were given, or that hold by default, by the name of the flag. */
export type FlagValues = Readonly<Record<string, string | undefined>>;

/** The words of a call, checked against the definition of its command. */
export interface Words {
  readonly args: readonly string[];
  /** Of the flags that may be given once. */
  readonly values: FlagValues;
  /** Of the repeatable flags: all values, by the name of the flag. */
  readonly repeated: Readonly<Record<string, readonly string[] | undefined>>;
  /** The switches that were given. */
  readonly switches: ReadonlySet<string>;
  /** Print one JSON document instead of text. */
  readonly json: boolean;
}

/** What a command was called with. */
export interface Input extends Words {
  /** The words after `malipo`, as they were given. */
  readonly argv: readonly string[];
  readonly io: Io;
}

/** What a command found or did. */
export interface Output {
  /** The document that `--json` prints. */
  readonly value: unknown;
  /** What is printed without `--json`. */
  readonly text: () => string;
  /** @default EXIT.ok */
  readonly exitCode?: ExitCode;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly subcommands: readonly Subcommand[];
}

/** Commands for one purpose. */
export interface CommandGroup {
  /** Such as `sandbox`: its page of the manual is `cli-sandbox`. */
  readonly name: string;
  /** As the help prints it. */
  readonly title: string;
  readonly commands: readonly Command[];
}

/**
 * Does what a call asks for. It gets all commands too. One that prints while it runs resolves with its
 * exit code.
 */
export type Run = (input: Input, commands: readonly Command[]) => Promise<Output | number>;

/** Imports a command when it is called, so that no command pays for the imports of another. */
export const lazily =
  <Name extends string>(load: () => Promise<Record<Name, Run>>, name: Name): Run =>
  async (input, commands) =>
    (await load())[name](input, commands);

/** A command or a flag in the words of a shell: `lostResponses` is `lost-responses`. */
export const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");

/** One way to call a command, as a definition writes it. */
export interface SubcommandRow
  extends Pick<Subcommand, "summary" | "run" | "examples" | "creates" | "effect"> {
  readonly flags?: FlagRows;
  /** What is known of an argument, by its name. */
  readonly values?: Readonly<Record<string, Pick<Argument, "summary" | "values" | "takesOthers">>>;
}

/** A subcommand as the help prints it: `show <id>`, `requeue [id...]`, or only `[file]`. */
function subcommand(usage: string, { flags = {}, values = {}, ...row }: SubcommandRow): Subcommand {
  const [, name] = /^([\w-]+)/.exec(usage) ?? [];
  const args = [...usage.matchAll(/([<[])([\w-]+)(\.{3})?[>\]]/g)].map(
    ([whole, bracket, argument = "", dots]): Argument => ({
      name: argument,
      usage: whole,
      ...(bracket === "[" && { optional: true }),
      ...(dots && { repeatable: true }),
      ...values[argument],
    }),
  );
  return { ...(name !== undefined && { name }), args, flags: flagsOf(flags), ...row };
}

/** A command and its subcommands, by their usage. */
export const command = (
  name: string,
  summary: string,
  rows: Readonly<Record<string, SubcommandRow>>,
): Command => ({
  name,
  summary,
  subcommands: Object.entries(rows).map(([usage, row]) => subcommand(usage, row)),
});

/** Commands with only one way to call them, by their usage: `listen <receiver>`. */
export const singles = (
  rows: Readonly<Record<string, SubcommandRow & { readonly about: string }>>,
): Command[] =>
  Object.entries(rows).map(([usage, { about, ...row }]) => {
    const [name = "", ...args] = usage.split(" ");
    return command(name, about, { [args.join(" ")]: row });
  });

/** The flags that every subcommand takes. */
export const COMMON_FLAGS: readonly Flag[] = flagsOf({
  "--json": "print one JSON document, also for an error",
  "--help": "print this help",
});
