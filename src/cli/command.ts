/** A positional argument, after the command and its subcommand. */
export interface Argument {
  readonly name: string;
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
  /** In words: where the value comes from when the flag is not given. */
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
  readonly creates?: true;
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

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly subcommands: readonly Subcommand[];
  /**
   * Imports the command when it is called, so that no command pays for the imports of another. `run`
   * gets all commands too.
   */
  readonly load: () => Promise<{
    run(input: Input, commands: readonly Command[]): Promise<number>;
  }>;
}

/** The flags that every subcommand takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: "json", summary: "print one JSON document, also for an error" },
  { name: "help", summary: "print this help" },
];
