import type { FlagRow } from "../../internal/flags.ts";
import { COMMANDS, type CommandName } from "../../sandbox/control/commands.ts";
import type { Command as ControlRow } from "../../sandbox/control/define-command.ts";
import { CHAOS_NAMES } from "../../sandbox/state/sandbox-records.ts";
import {
  type Command,
  command,
  kebabCase,
  lazily,
  type Runnable,
  runnable,
  type SubcommandRow,
} from "../command.ts";
import { argumentFields, controlWords, fieldRow, flagFields, isFile } from "../command-words.ts";
import { SANDBOX_URL } from "../flags/common.ts";
import { DELIVERIES, REQUESTS } from "../flags/sandbox.ts";

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

/** The fields that a model may set by a flag. No field of an object is one of them: it is read from a file. */
const FOR_MODELS: readonly string[] = [
  ...["reference", "event", "keep_receivers", "save_as"],
  ...["endpoint", "method", "path", "status", "body", "ms", "after", "times"],
  ...[...CHAOS_NAMES, "seed"],
];

function fieldFlag(name: string): [flag: string, row: FlagRow] {
  const { type = "", description } = fieldRow(name);
  const kebab = kebabCase(name);
  const row: FlagRow = {
    ...(type !== "boolean" && { value: VALUE_NAMES[type] ?? kebab }),
    summary: phrase(description),
    ...(FOR_MODELS.includes(name) && { forModels: true }),
  };
  return [kebab, row];
}

type Example = Readonly<Record<string, unknown>>;

const fieldExample = (example: Example, field: string): string =>
  isFile(field) ? "state.json" : String(example[field] ?? fieldRow(field).example ?? "1");

const flagExample = (example: Example, field: string): string =>
  `--${kebabCase(field)}${fieldRow(field).type === "boolean" ? "" : ` ${fieldExample(example, field)}`}`;

function controlRow([name, row]: readonly [string, ControlRow]): [usage: string, SubcommandRow] {
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
  const known = fields.map((field) => {
    const { description, values } = fieldRow(field);
    // A key can be named by its kind, or given itself.
    const others = field === "key" && { takesOthers: true };
    return [kebabCase(field), { summary: description, ...(values && { values, ...others }) }];
  });
  const definition: SubcommandRow = {
    summary: row.summary,
    ...runnable({ ...SANDBOX_URL, ...Object.fromEntries(flags.map(fieldFlag)) }, async (input) =>
      (await import("../commands/control.ts")).runOnSandbox(name as CommandName, input),
    ),
    examples: [example.join(" ")],
    values: Object.fromEntries(known),
    effect: row.removes && "removes",
  };
  return [`${words.split(" ")[1] ?? ""}${usage.join("")}`, definition];
}

/** A command that reads from a running sandbox. */
const read = (run: Runnable, summary: string, examples: readonly string[]): SubcommandRow => ({
  ...run,
  summary,
  examples,
  effect: "reads",
});

const reads = () => import("../sandbox/reads.ts");

/** What the command line calls a group of commands, and what it reads from a sandbox itself. */
const GROUPS: Readonly<
  Record<
    string,
    { readonly summary: string; readonly reads?: Readonly<Record<string, SubcommandRow>> }
  >
> = {
  phone: { summary: "act as the customer of a running sandbox" },
  clock: {
    summary: "show and move the clock of a running sandbox",
    reads: {
      now: read(lazily(SANDBOX_URL, reads, "clock"), "Shows the sandbox's time.", ["clock now"]),
    },
  },
  events: {
    summary: "list, show and resend the webhook deliveries of a running sandbox",
    reads: {
      list: read(
        lazily(DELIVERIES, reads, "deliveries"),
        "Lists deliveries, newest first, and how many are pending for each URL.",
        [
          "events list",
          "events list --payment PAY-7Q2M9X4KD1TB",
          "events list --state failed --json",
        ],
      ),
      "show <id>": read(
        lazily(SANDBOX_URL, reads, "delivery"),
        "Shows one delivery: its body, its signature and every attempt.",
        ["events show dlv_4cG7wq1ZbK2m"],
      ),
    },
  },
  requests: {
    summary: "list the requests to a running sandbox",
    reads: {
      list: read(
        lazily(REQUESTS, reads, "requests"),
        "Lists requests and what the sandbox responded, newest first. Keys are shortened.",
        ["requests list", "requests list --limit 5 --json"],
      ),
    },
  },
  faults: {
    summary: "make requests to a running sandbox fail on purpose",
    reads: {
      list: read(
        lazily(SANDBOX_URL, reads, "faults"),
        "Lists the faults that are active, and the rates of chaos.",
        ["faults list"],
      ),
    },
  },
  keys: { summary: "revoke a key of a running sandbox" },
  chaos: { summary: "inject random faults into a running sandbox" },
  scenes: {
    summary: "save and load the state of a running sandbox",
    reads: {
      list: read(lazily(SANDBOX_URL, reads, "scenes"), "Lists the saved states.", ["scenes list"]),
      export: read(
        lazily(SANDBOX_URL, reads, "snapshot"),
        "Prints the whole state as JSON, keys included.",
        ["scenes export"],
      ),
    },
  },
  reset: { summary: "delete everything in a running sandbox" },
};

/** The commands that act on a running sandbox, from the rows of the control API. */
export function controlCommands(
  rows: Readonly<Record<string, ControlRow>> = COMMANDS,
): readonly Command[] {
  const acts = Object.entries(rows).filter(isOffered);
  const groupOf = (name: string) => controlWords(name).split(" ")[0] ?? "";
  const names = new Set([...Object.keys(GROUPS), ...acts.map(([name]) => groupOf(name))]);
  return [...names].map((name) => {
    const { summary = `act on the ${name} of a running sandbox`, reads } = GROUPS[name] ?? {};
    const own = acts.filter(([act]) => groupOf(act) === name).map(controlRow);
    return command(name, summary, { ...reads, ...Object.fromEntries(own) });
  });
}
