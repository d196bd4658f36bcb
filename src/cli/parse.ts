import { parseArgs } from "node:util";
import {
  COMMON_FLAGS,
  type Command,
  type Flag,
  type Form,
  type Input,
} from "./definitions/types.ts";
import { usage } from "./failure.ts";
import { didYouMean } from "./terminal/suggest.ts";

export type Parsed =
  | { readonly kind: "version" }
  | { readonly kind: "overview" }
  | { readonly kind: "help"; readonly command: Command; readonly form?: Form | undefined }
  | {
      readonly kind: "call";
      readonly command: Command;
      readonly form: Form;
      readonly input: Input;
    };

const isHelp = (word: string | undefined) => word === "--help" || word === "-h";

/** What the words after `malipo` ask for. */
export function parse(commands: readonly Command[], argv: readonly string[]): Parsed {
  const [first, ...rest] = argv;
  if (first === undefined || isHelp(first)) return { kind: "overview" };
  if (first === "help") return rest[0] === undefined ? { kind: "overview" } : help(commands, rest);
  if (first === "--version" || first === "-v") return { kind: "version" };
  const command = commandOf(commands, first);
  const [only] = command.forms;
  if (only !== undefined && only.action === undefined) return call(command, only, rest);
  const [action, ...after] = rest;
  if (action === undefined || isHelp(action)) return { kind: "help", command };
  return call(command, formOf(command, action), after);
}

const namesOf = (commands: readonly Command[]) => commands.map(({ name }) => name);

function commandOf(commands: readonly Command[], name: string): Command {
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return command;
  const what = name.startsWith("-") ? "flag" : "command";
  throw usage(`There is no ${what} "${name}". ${didYouMean(name, namesOf(commands))}`);
}

function formOf(command: Command, action: string): Form {
  const form = command.forms.find((one) => one.action === action);
  if (form !== undefined) return form;
  const actions = command.forms.flatMap((one) => one.action ?? []);
  throw usage(`"${command.name}" has no "${action}". ${didYouMean(action, actions)}`);
}

function help(commands: readonly Command[], [name = "", action]: readonly string[]): Parsed {
  const command = commandOf(commands, name);
  const form = action === undefined ? undefined : formOf(command, action);
  return { kind: "help", command, form };
}

// A negative number or duration ("-5s") is a value that a command may want to refuse in its own
// words, and no row of short flags.
const SHIELD = "\0";
const isNegative = (word: string) => /^-\d/.test(word);

function call(command: Command, form: Form, words: readonly string[]): Parsed {
  const flags = [...form.flags, ...COMMON_FLAGS];
  const { tokens } = parseArgs({
    args: words.map((word) => (isNegative(word) ? SHIELD + word : word)),
    options: {
      ...Object.fromEntries(
        flags.map(({ name, value }) => [name, { type: value ? "string" : "boolean" } as const]),
      ),
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    tokens: true,
  });
  const text: Record<string, string> = {};
  const many: Record<string, string[]> = {};
  const on = new Set<string>();
  const args: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") args.push(unshield(token.value));
    if (token.kind !== "option") continue;
    const flag = flagOf(flags, token.name, token.rawName);
    if (flag.value === undefined) {
      if (token.value !== undefined) throw usage(`${token.rawName} takes no value.`);
      on.add(flag.name);
      continue;
    }
    // A flag that follows is not the value: `--to --json` has forgotten one.
    const isForgotten = token.inlineValue === false && /^-./.test(token.value);
    const value = textOf(flag, isForgotten ? undefined : token.value);
    if (flag.many) many[flag.name] = [...(many[flag.name] ?? []), value];
    else if (flag.name in text) throw usage(`--${flag.name} was given twice.`);
    else text[flag.name] = value;
  }
  if (on.has("help")) return { kind: "help", command, form };
  checkArgs(command, form, args);
  const input = { action: form.action ?? "", args, text, many, on, json: on.has("json") };
  return { kind: "call", command, form, input };
}

const unshield = (word: string) => (word.startsWith(SHIELD) ? word.slice(SHIELD.length) : word);

function flagOf(flags: readonly Flag[], name: string, rawName: string): Flag {
  const flag = flags.find((one) => one.name === name);
  if (flag !== undefined) return flag;
  const names = flags.map((one) => `--${one.name}`);
  throw usage(`There is no flag "${rawName}" here. ${didYouMean(rawName, names)}`);
}

function textOf({ name, value, choices }: Flag, given: string | undefined): string {
  if (given === undefined) throw usage(`--${name} wants a value: --${name} ${value}`);
  const text = unshield(given);
  if (choices !== undefined && !choices.includes(text)) {
    throw usage(`--${name} does not take "${text}". ${didYouMean(text, choices)}`);
  }
  return text;
}

function checkArgs(command: Command, { action, args = [] }: Form, given: readonly string[]): void {
  const call = ["malipo", command.name, action].filter(Boolean).join(" ");
  const missing = args.slice(given.length).find(({ optional }) => !optional);
  if (missing !== undefined) {
    throw usage(`"${call}" wants <${missing.name}>. See: ${call} --help`);
  }
  const extra = given[args.length];
  if (extra !== undefined) {
    throw usage(`"${call}" does not know what to do with "${extra}". See: ${call} --help`);
  }
}
