/** What a flag of the command line is for. A flag without a `value` is a switch. */
export interface FlagRow {
  /** What the help prints behind it: `number` in `--port <number>`. */
  readonly value?: string;
  readonly summary: string;
  /** The value that the parser fills in when the flag is not given. */
  readonly default?: string;
  /** In words: the source of the value when the flag is not given. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly repeatable?: true;
  /** A model may set it, by `malipo mcp`. No flag that names a file, a folder, a store or a secret has it. */
  readonly forModels?: true;
}

/** A flag of the command line. */
export interface Flag extends FlagRow {
  /** Without the dashes. */
  readonly name: string;
  /** As the help prints it: `--port <number>`. */
  readonly usage: string;
}

/** Flags by their names, without the dashes. */
export type FlagRows = Readonly<Record<string, FlagRow>>;

/** What a command gets for a flag of which only the program knows whether it takes a value. */
export type FlagValue = string | undefined | boolean | readonly string[];

type ValueOf<Row> = Row extends { readonly repeatable: true }
  ? readonly string[]
  : Row extends { readonly value: string }
    ?
        | (Row extends { readonly choices: readonly (infer Choice)[] } ? Choice : string)
        | (Row extends { readonly default: string } ? never : undefined)
    : "value" extends keyof Row
      ? FlagValue
      : boolean;

/** What a command gets for its flags, by their rows. */
export type FlagsOf<Rows> = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> };

export const flagsOf = (rows: FlagRows): Flag[] =>
  Object.entries(rows).map(([name, row]) => ({
    name,
    usage: `--${name}${row.value === undefined ? "" : ` <${row.value}>`}`,
    ...row,
  }));
