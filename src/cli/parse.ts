import { parseArgs } from "node:util";
import type { Flag, FlagValue } from "../internal/flags.ts";
import { usageError } from "./cli-error.ts";
import { COMMON_FLAGS, type Command, type Subcommand, type Words } from "./command.ts";
import { findNamed, suggest } from "./terminal/suggest.ts";

/** A command to run. */
export interface Call {
  readonly kind: "call";
  readonly command: Command;
  readonly subcommand: Subcommand;
  readonly input: Words;
}

interface Help {
  readonly kind: "help";
  readonly command: Command;
  readonly subcommand?: Subcommand | undefined;
}

export type Parsed = Call | Help | { readonly kind: "overview" };

const isHelp = (word: string | undefined) => word === "--help" || word === "-h";

/**
 * What the words after `malipo` ask for.
 *
 * @throws {CliError} `usage` for an unknown command, subcommand or flag, and for a missing or
 *   invalid value.
 */
export function parse(commands: readonly Command[], argv: readonly string[]): Parsed {
  const [first, ...rest] = argv;
  if (first === undefined || isHelp(first)) return { kind: "overview" };
  if (first === "help") return parseHelp(commands, rest);
  const command = findCommand(commands, first);
  const [unnamed, ...named] = command.subcommands;
  const hasUnnamed = unnamed !== undefined && unnamed.name === undefined;
  if (hasUnnamed && named.length === 0) return parseCall(command, unnamed, rest);
  const [name, ...words] = rest;
  if (name === undefined || isHelp(name)) return { kind: "help", command };
  // `learn --to URL` has no subcommand name: it begins with a flag.
  if (hasUnnamed && name.startsWith("-")) return parseCall(command, unnamed, rest);
  return parseCall(command, findSubcommand(command, name), words);
}

const findCommand = (commands: readonly Command[], name: string): Command =>
  findNamed(commands, name, `Unknown ${name.startsWith("-") ? "flag" : "command"} "${name}".`);

const findSubcommand = ({ name, subcommands }: Command, given: string): Subcommand =>
  findNamed(subcommands, given, `"malipo ${name}" has no subcommand "${given}".`);

/** `malipo help events list`. */
function parseHelp(
  commands: readonly Command[],
  [name, subcommandName]: readonly string[],
): Parsed {
  if (name === undefined) return { kind: "overview" };
  const command = findCommand(commands, name);
  if (subcommandName === undefined) return { kind: "help", command };
  return { kind: "help", command, subcommand: findSubcommand(command, subcommandName) };
}

function parseCall(command: Command, subcommand: Subcommand, words: readonly string[]): Parsed {
  const { args, flags } = readWords(words, [...subcommand.flags, ...COMMON_FLAGS]);
  if (flags.help) return { kind: "help", command, subcommand };
  checkArguments(command, subcommand, args);
  return { kind: "call", command, subcommand, input: { args, flags, json: flags.json === true } };
}

// `parseArgs` reads a negative number or duration (`-5s`) as a group of short flags. It is a value,
// which a command may want to reject with its own message: this mark hides its minus.
const MINUS_MARK = "\0";
const markMinus = (word: string) => (/^-\d/.test(word) ? MINUS_MARK + word : word);
const unmarkMinus = (word: string) =>
  word.startsWith(MINUS_MARK) ? word.slice(MINUS_MARK.length) : word;

const tokensIn = (words: readonly string[], flags: readonly Flag[]) =>
  parseArgs({
    args: words.map(markMinus),
    options: {
      ...Object.fromEntries(
        flags.map(({ name, value }) => [name, { type: value ? "string" : "boolean" } as const]),
      ),
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    tokens: true,
  }).tokens;

/** What a command gets for a flag that is not given. */
const notGiven = ({ value, repeatable, default: literal }: Flag): FlagValue =>
  repeatable ? [] : value === undefined ? false : literal;

/** Sorts the words into arguments and flags, and checks each flag against its definition. */
function readWords(words: readonly string[], flags: readonly Flag[]) {
  const args: string[] = [];
  const given = new Map<string, string | true | readonly string[]>();
  for (const token of tokensIn(words, flags)) {
    if (token.kind === "positional") args.push(unmarkMinus(token.value));
    if (token.kind !== "option") continue;
    const flag = findFlag(flags, token.name, token.rawName);
    if (flag.value === undefined) {
      if (token.value !== undefined) throw usageError(`${token.rawName} does not take a value.`);
      given.set(flag.name, true);
      continue;
    }
    // The next flag is not the value: in `--to --json`, the value of `--to` is missing.
    const isMissing = token.inlineValue === false && /^-./.test(token.value);
    const value = checkValue(flag, isMissing ? undefined : token.value);
    const before = given.get(flag.name);
    if (flag.repeatable) given.set(flag.name, [...(Array.isArray(before) ? before : []), value]);
    else if (before !== undefined) throw usageError(`--${flag.name} can be given only once.`);
    else given.set(flag.name, value);
  }
  const read = (flag: Flag): FlagValue => given.get(flag.name) ?? notGiven(flag);
  return { args, flags: Object.fromEntries(flags.map((flag) => [flag.name, read(flag)])) };
}

function findFlag(flags: readonly Flag[], name: string, rawName: string): Flag {
  const flag = flags.find((one) => one.name === name);
  if (flag !== undefined) return flag;
  const names = flags.map((one) => `--${one.name}`);
  throw usageError(`Unknown flag "${rawName}". ${suggest(rawName, names)}`);
}

function checkValue({ name, usage, choices }: Flag, given: string | undefined): string {
  if (given === undefined) throw usageError(`--${name} requires a value: ${usage}`);
  const text = unmarkMinus(given);
  if (choices !== undefined && !choices.includes(text)) {
    throw usageError(`--${name} cannot be "${text}". ${suggest(text, choices)}`);
  }
  return text;
}

function checkArguments(
  command: Command,
  { name, args }: Subcommand,
  given: readonly string[],
): void {
  const call = ["malipo", command.name, name].filter(Boolean).join(" ");
  const missing = args.slice(given.length).find(({ optional }) => !optional);
  if (missing !== undefined) {
    const one = missing.values ? `: ${missing.values.join(", ")}` : "";
    throw usageError(`"${call}" requires <${missing.name}>${one}. See: ${call} --help`);
  }
  for (const [index, { name: argument, values, takesOthers }] of args.entries()) {
    const word = given[index];
    if (word === undefined || values === undefined || takesOthers || values.includes(word))
      continue;
    throw usageError(`<${argument}> cannot be "${word}". ${suggest(word, values)}`);
  }
  const extra = args.at(-1)?.repeatable ? undefined : given[args.length];
  if (extra !== undefined) {
    throw usageError(`"${call}" has no argument for "${extra}". See: ${call} --help`);
  }
}
