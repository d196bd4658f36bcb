/** A flag of the command line. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** As the help prints it: `--port <number>`. */
  readonly usage: string;
  /** `number` in `--port <number>`. A switch has none. */
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

/**
 * Flags as the help prints them: `--clock <kind>`, or `--force` for a switch. Behind each stands what it
 * is for, with notes in brackets: `what time is [real | virtual; default: real]`. `otherwise` is in words.
 * `malipo mcp` offers a flag only if its notes end with `for models`.
 */
export type FlagRows = Readonly<Record<string, string>>;

/** What a note behind the summary of a flag stands for. */
const NOTES: readonly (readonly [pattern: RegExp, meaning: (text: string) => Partial<Flag>])[] = [
  [/^default: (.*)$/, (text) => ({ default: text })],
  [/^otherwise: (.*)$/, (text) => ({ fallback: text })],
  [/^(repeatable)$/, () => ({ repeatable: true })],
  [/^(for models)$/, () => ({ forModels: true })],
  [/^([^|]*\|.*)$/, (text) => ({ choices: text.split(" | ") })],
];

function flagOf([usage, text]: readonly [usage: string, text: string]): Flag {
  const [, name = "", value] = /^--([\w-]+)(?: <(.+)>)?$/.exec(usage) ?? [];
  const [, summary = text, notes = ""] = /^([^[]*) \[(.*)\]$/.exec(text) ?? [];
  const meanings = notes.split("; ").flatMap((note) =>
    NOTES.flatMap(([pattern, meaning]) => {
      const [, found] = pattern.exec(note) ?? [];
      return found === undefined ? [] : [meaning(found)];
    }),
  );
  return Object.assign(
    { name, usage, ...(value !== undefined && { value }), summary },
    ...meanings,
  );
}

export const flagsOf = (rows: FlagRows): Flag[] => Object.entries(rows).map(flagOf);
