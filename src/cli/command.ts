import {
  type Flag,
  type FlagRows,
  type FlagsOf,
  type FlagValue,
  flagsOf,
} from "../internal/flags.ts";
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

/** The flags of a call of which only the program knows the command. */
export type AnyFlags = Readonly<Record<string, FlagValue>>;

/** The words of a call, checked against the definition of its command. */
export interface Words<Flags = AnyFlags> {
  readonly args: readonly string[];
  /** Each flag of the command, by its name: what it was given, or what holds by default. */
  readonly flags: Flags;
  /** Print one JSON document instead of text. */
  readonly json: boolean;
}

/** What a command was called with. An input without a type of its flags reads none. */
export interface Input<Flags = unknown> extends Words<Flags> {
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
 * Does what a call asks for. It gets all commands too. A command that prints while it runs resolves with its
 * exit code.
 */
export type Run<Flags = AnyFlags> = (
  input: Input<Flags>,
  commands: readonly Command[],
) => Promise<Output | number>;

/** The flags of a subcommand, and the command that reads them. */
export interface Runnable {
  readonly flags: FlagRows;
  readonly run: Run;
}

/** A command that reads a flag without a row does not compile. */
export const runnable = <Rows extends FlagRows>(
  flags: Rows,
  run: Run<FlagsOf<Rows>>,
): Runnable => ({
  flags,
  // The parser reads the flags by these rows.
  run: (input, commands) => run(input as Input<FlagsOf<Rows>>, commands),
});

/** Imports a command when it is called, so that no command pays for the imports of another. */
export const lazily = <Rows extends FlagRows, Name extends string>(
  flags: Rows,
  load: () => Promise<NoInfer<Readonly<Record<Name, Run<FlagsOf<Rows>>>>>>,
  name: Name,
): Runnable => runnable(flags, async (input, commands) => (await load())[name](input, commands));

/** A command or a flag in the words of a shell: `lostResponses` is `lost-responses`. */
export const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");

/** One way to call a command, as a definition writes it. */
export interface SubcommandRow
  extends Runnable,
    Pick<Subcommand, "summary" | "examples" | "creates" | "effect"> {
  /** What is known of an argument, by its name. */
  readonly values?: Readonly<Record<string, Pick<Argument, "summary" | "values" | "takesOthers">>>;
}

/** A subcommand as the help prints it: `show <id>`, `requeue [id...]`, or only `[file]`. */
function subcommand(usage: string, { flags, values = {}, ...row }: SubcommandRow): Subcommand {
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
  json: { summary: "print one JSON document, also for an error" },
  help: { summary: "print this help" },
});
