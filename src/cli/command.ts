import type { ExitCode } from "./exit-codes.ts";

/** A positional argument, after the command and its subcommand. */
export interface Argument {
  readonly name: string;
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

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** What the help shows in the place of the value: `--port <number>`. A switch has none. */
  readonly value?: string;
  readonly summary: string;
  /** The value that the parser fills in when the flag is not given. */
  readonly default?: string;
  /** In words: the source of the value when the flag is not given. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly repeatable?: true;
}

/** One way to call a command. */
export interface Subcommand {
  /** `list` in `events list`. A command with only one way to call it has no subcommand name. */
  readonly name?: string;
  readonly summary: string;
  readonly args?: readonly Argument[];
  readonly flags: readonly Flag[];
  /** Without `malipo` at the beginning. */
  readonly examples: readonly string[];
  /** It starts something that happens twice if the command runs twice. */
  readonly creates?: boolean;
  /** It only reads, or it removes or replaces something. */
  readonly effect?: "reads" | "removes" | undefined;
}

/** The values that flags were given, or that hold by default, by the name of the flag. */
export type FlagValues = Readonly<Record<string, string | undefined>>;

/** What a command was called with, checked against its definition. */
export interface Input {
  readonly command: string;
  /** Empty for a command without subcommands. */
  readonly subcommand: string;
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
  /**
   * Imports the command when it is called, so that no command pays for the imports of another. One that
   * prints while it runs resolves with its exit code. `run` gets all commands too.
   */
  readonly load: () => Promise<{
    run(input: Input, commands: readonly Command[]): Promise<Output | number>;
  }>;
}

/** What a note behind the summary of a flag stands for. */
const NOTES: readonly (readonly [pattern: RegExp, meaning: (text: string) => Partial<Flag>])[] = [
  [/^default: (.*)$/, (text) => ({ default: text })],
  [/^otherwise: (.*)$/, (text) => ({ fallback: text })],
  [/^(repeatable)$/, () => ({ repeatable: true })],
  [/^([^|]*\|.*)$/, (text) => ({ choices: text.split(" | ") })],
];

/**
 * A flag as the help prints it: `--clock <kind>`, or `--force` for a switch; and what it is for, with
 * notes in brackets: `what time is [real | virtual; default: real]`. `otherwise` is in words.
 */
export function flag(usage: string, text: string): Flag {
  const [, name = "", value] = /^--([\w-]+)(?: <(.+)>)?$/.exec(usage) ?? [];
  const [, summary = text, notes = ""] = /^([^[]*) \[(.*)\]$/.exec(text) ?? [];
  const meanings = notes.split("; ").flatMap((note) =>
    NOTES.flatMap(([pattern, meaning]) => {
      const [, found] = pattern.exec(note) ?? [];
      return found === undefined ? [] : [meaning(found)];
    }),
  );
  return Object.assign({ name, ...(value !== undefined && { value }), summary }, ...meanings);
}

/** Flags: how each is called, and what it is for. */
export const flags = (rows: Readonly<Record<string, string>>): Flag[] =>
  Object.entries(rows).map(([usage, text]) => flag(usage, text));

/** A command or a flag in the words of a shell: `lostResponses` is `lost-responses`. */
export const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");

interface SubcommandRest {
  readonly flags?: readonly Flag[];
  readonly examples: readonly string[];
  /** What is known of an argument, by its name. */
  readonly values?: Readonly<Record<string, Pick<Argument, "summary" | "values" | "takesOthers">>>;
  readonly creates?: boolean;
  readonly effect?: Subcommand["effect"];
}

/** A subcommand as the help prints it: `show <id>`, `requeue [id...]`, or only `[file]`. */
export function subcommand(
  usage: string,
  summary: string,
  { flags: own = [], values = {}, ...rest }: SubcommandRest,
): Subcommand {
  const [, name] = /^([\w-]+)/.exec(usage) ?? [];
  const args = [...usage.matchAll(/([<[])([\w-]+)(\.{3})?[>\]]/g)].map(
    ([, bracket, argument = "", dots]): Argument => ({
      name: argument,
      ...(bracket === "[" && { optional: true }),
      ...(dots && { repeatable: true }),
      ...values[argument],
    }),
  );
  return { ...(name !== undefined && { name }), summary, args, flags: own, ...rest };
}

/** A command with only one way to call it. Its usage begins with its name: `listen <receiver>`. */
export function single(
  usage: string,
  summary: string,
  description: string,
  load: Command["load"],
  rest: SubcommandRest,
): Command {
  const [name = "", ...args] = usage.split(" ");
  return { name, summary, load, subcommands: [subcommand(args.join(" "), description, rest)] };
}

/** The flags that every subcommand takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  flag("--json", "print one JSON document, also for an error"),
  flag("--help", "print this help"),
];
