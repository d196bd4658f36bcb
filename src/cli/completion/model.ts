import { ENDPOINTS } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import {
  type Argument,
  COMMON_FLAGS,
  type Command,
  type Flag,
  type Subcommand,
} from "../command.ts";

/** What can stand in a place: words that are known, a file, or anything. */
export type Values = readonly string[] | "files" | "anything";

interface Choice {
  readonly word: string;
  readonly summary: string;
}

interface CompletedFlag extends Choice {
  /** `undefined` for a switch. */
  readonly values: Values | undefined;
}

/** What follows the words of one call, such as `payments list`. */
export interface CompletedCall {
  readonly words: string;
  readonly subcommands: readonly Choice[];
  readonly flags: readonly CompletedFlag[];
  /** Of the arguments, whichever comes next. */
  readonly values: Values;
}

/** What the words in a definition stand for: `--event <event>`, `sign [file]`. */
const BY_PLACEHOLDER: Readonly<Record<string, Values>> = {
  event: EVENT_KINDS,
  endpoint: Object.keys(ENDPOINTS),
  path: "files",
  file: "files",
  a: "files",
  b: "files",
};

const flagValues = ({ value, choices }: Flag): Values | undefined =>
  value === undefined ? undefined : (choices ?? BY_PLACEHOLDER[value] ?? "anything");

function argumentValues(args: readonly Argument[]): Values {
  const [first] = args;
  if (first === undefined) return [];
  return first.values ?? BY_PLACEHOLDER[first.name] ?? "anything";
}

const completedFlag = (flag: Flag): CompletedFlag => ({
  word: `--${flag.name}`,
  summary: flag.summary,
  values: flagValues(flag),
});

function completedCall({ name }: Command, subcommand: Subcommand): CompletedCall {
  return {
    words: [name, subcommand.name].filter(Boolean).join(" "),
    subcommands: [],
    flags: [...subcommand.flags, ...COMMON_FLAGS].map(completedFlag),
    values: argumentValues(subcommand.args ?? []),
  };
}

/** Every call: of a command without a subcommand, and of each of its subcommands. */
export function completedCalls(commands: readonly Command[]): CompletedCall[] {
  return commands.flatMap((command) => {
    const unnamed = command.subcommands.find(({ name }) => name === undefined);
    const named = command.subcommands.flatMap((one) =>
      one.name === undefined ? [] : [{ ...one, name: one.name }],
    );
    const bare = {
      ...completedCall(command, unnamed ?? { summary: command.summary, flags: [], examples: [] }),
      subcommands: named.map(({ name, summary }) => ({ word: name, summary })),
    };
    return [bare, ...named.map((one) => completedCall(command, one))];
  });
}

/** The words after `malipo`. */
export const firstWords = (commands: readonly Command[]): Choice[] => [
  ...commands.map(({ name, summary }) => ({ word: name, summary })),
  { word: "help", summary: "print the help of a command" },
  { word: "--help", summary: "list the commands" },
  { word: "--version", summary: "print the version" },
];
