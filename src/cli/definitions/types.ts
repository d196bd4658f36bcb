// What a row of the command table is made of. The rows are in `commands.ts`.

/** A word after the command. */
export interface Arg {
  readonly name: string;
  readonly optional?: true;
}

export interface Flag {
  /** Without its dashes. */
  readonly name: string;
  /** What stands for its value in the help; without one, the flag is a switch. */
  readonly value?: string;
  readonly summary: string;
  /** What holds where it is not given. */
  readonly standard?: string;
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly many?: true;
}

/** One way of calling a command. */
export interface Form {
  /** The second word, for commands that have several: `events list`. */
  readonly action?: string;
  readonly summary: string;
  readonly args?: readonly Arg[];
  readonly flags: readonly Flag[];
  /** Without `malipo` at the beginning. */
  readonly examples: readonly string[];
  /** Doing it twice makes it happen twice. */
  readonly creates?: true;
}

/** What a command is called with, checked against its row. */
export interface Input {
  readonly action: string;
  readonly args: readonly string[];
  /** Flags with a value, by name. */
  readonly text: Readonly<Record<string, string | undefined>>;
  /** Flags that may be given several times, by name. */
  readonly many: Readonly<Record<string, readonly string[] | undefined>>;
  /** Switches that were given. */
  readonly on: ReadonlySet<string>;
  /** One JSON document instead of words. */
  readonly json: boolean;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly forms: readonly Form[];
  /** Loaded when it is called: no command pays for another's imports. */
  readonly load: () => Promise<{ run(input: Input): Promise<number> }>;
}

/** What every form takes besides its own. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: "json", summary: "print one JSON document, errors too" },
  { name: "help", summary: "print this help" },
];
