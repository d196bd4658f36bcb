import { COMMANDS } from "../../sandbox/control/commands.ts";
import type { Command as ControlRow } from "../../sandbox/control/types.ts";
import {
  type Command,
  type Flag,
  flag,
  flags,
  kebabCase,
  type Subcommand,
  subcommand,
} from "../command.ts";
import { argumentFields, controlWords, fieldRow, flagFields, isFile } from "../words.ts";
import { SANDBOX_URL } from "./flags.ts";

// A command for every command of the control API, derived from its row.

/** `payments initiate` calls the service, and `listen` registers and removes its receiver. */
const ELSEWHERE: readonly string[] = ["pay", "webhooks/register", "webhooks/remove"];

/** Whether the command line offers a command of the control API. */
const isOffered = ([name, { path }]: readonly [string, ControlRow]) =>
  path !== undefined && !ELSEWHERE.includes(name);

/** `Only requests with this method.` in the middle of a line. */
const phrase = (sentence: string) =>
  `${sentence[0]?.toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, "");

const VALUE_NAMES: Readonly<Record<string, string>> = {
  object: "file",
  integer: "number",
  number: "number",
};

function fieldFlag(name: string): Flag {
  const { type = "", description } = fieldRow(name);
  const kebab = kebabCase(name);
  const value = type === "boolean" ? "" : ` <${VALUE_NAMES[type] ?? kebab}>`;
  return flag(`--${kebab}${value}`, phrase(description));
}

type Example = Readonly<Record<string, unknown>>;

const fieldExample = (example: Example, field: string): string =>
  isFile(field) ? "state.json" : String(example[field] ?? fieldRow(field).example ?? "1");

const flagExample = (example: Example, field: string): string =>
  `--${kebabCase(field)}${fieldRow(field).type === "boolean" ? "" : ` ${fieldExample(example, field)}`}`;

function controlSubcommand([name, row]: readonly [string, ControlRow]): Subcommand {
  const words = controlWords(name);
  const fields = argumentFields(row);
  const flags = flagFields(row);
  const usage = fields.map((field) => ` <${isFile(field) ? "file" : kebabCase(field)}>`);
  const values: Example = row.example ?? {};
  const example = [
    words,
    ...fields.map((field) => fieldExample(values, field)),
    ...flags.filter((field) => field in values).map((field) => flagExample(values, field)),
  ];
  const known = fields.flatMap((field) => {
    const { values } = fieldRow(field);
    // A key can be named by its kind, or given itself.
    return values ? [[field, { values, ...(field === "key" && { takesOthers: true }) }]] : [];
  });
  return subcommand(`${words.split(" ")[1] ?? ""}${usage.join("")}`, row.summary, {
    flags: [SANDBOX_URL, ...flags.map(fieldFlag)],
    examples: [example.join(" ")],
    values: Object.fromEntries(known),
  });
}

/** What the command line calls a group of commands, and what it reads from a sandbox itself. */
const GROUPS: Readonly<
  Record<string, { readonly summary: string; readonly reads?: readonly Subcommand[] }>
> = {
  phone: { summary: "act as the customer of a running sandbox" },
  clock: {
    summary: "show and move the clock of a running sandbox",
    reads: [
      subcommand("now", "Shows the sandbox's time.", {
        flags: [SANDBOX_URL],
        examples: ["clock now"],
      }),
    ],
  },
  events: {
    summary: "list, show and resend the webhook deliveries of a running sandbox",
    reads: [
      subcommand("list", "Lists deliveries, newest first, and how many are pending for each URL.", {
        flags: [
          SANDBOX_URL,
          ...flags({
            "--state <state>": "list only deliveries in this state [pending | delivered | failed]",
            "--payment <reference>": "list only deliveries about this payment",
            "--limit <number>": "the maximum number of deliveries [default: 20]",
          }),
        ],
        examples: [
          "events list",
          "events list --payment PAY-7Q2M9X4KD1TB",
          "events list --state failed --json",
        ],
      }),
      subcommand("show <id>", "Shows one delivery: its body, its signature and every attempt.", {
        flags: [SANDBOX_URL],
        examples: ["events show dlv_4cG7wq1ZbK2m"],
      }),
    ],
  },
  faults: {
    summary: "make requests to a running sandbox fail on purpose",
    reads: [
      subcommand("list", "Lists the faults that are active, and the rates of chaos.", {
        flags: [SANDBOX_URL],
        examples: ["faults list"],
      }),
    ],
  },
  keys: { summary: "revoke a key of a running sandbox" },
  chaos: { summary: "inject random faults into a running sandbox" },
  scenes: {
    summary: "save and load the state of a running sandbox",
    reads: [
      subcommand("list", "Lists the saved states.", {
        flags: [SANDBOX_URL],
        examples: ["scenes list"],
      }),
      subcommand("export", "Prints the whole state as JSON, keys included.", {
        flags: [SANDBOX_URL],
        examples: ["scenes export"],
      }),
    ],
  },
  reset: { summary: "delete everything in a running sandbox" },
};

/** The commands that act on a running sandbox, from the rows of the control API. */
export function controlCommands(
  rows: Readonly<Record<string, ControlRow>> = COMMANDS,
): readonly Command[] {
  const groups = new Map<string, Subcommand[]>();
  for (const entry of Object.entries(rows).filter(isOffered)) {
    const [group = ""] = controlWords(entry[0]).split(" ");
    groups.set(group, [
      ...(groups.get(group) ?? GROUPS[group]?.reads ?? []),
      controlSubcommand(entry),
    ]);
  }
  return [...groups].map(([name, subcommands]) => ({
    name,
    summary: GROUPS[name]?.summary ?? `act on the ${name} of a running sandbox`,
    load: () => import("../commands/control.ts"),
    subcommands,
  }));
}
