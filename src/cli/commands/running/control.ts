import { COMMANDS, type CommandName } from "../../../sandbox/control/commands.ts";
import { usageError } from "../../cli-error.ts";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { readFile } from "../../input/files.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { querySandbox, runCommand } from "../../sandbox/running-sandbox.ts";
import { formatFields, formatTable, printResult } from "../../terminal/output.ts";

// The commands of the control API that need no more than their fields.

type Fields = Readonly<Record<string, unknown>>;

const camelCase = (flag: string) => flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** The flags that were given, as the fields of the command. */
const fieldsOf = ({ values }: Input): Fields =>
  Object.fromEntries(
    Object.entries(values).flatMap(([flag, value]) =>
      flag === "url" || value === undefined ? [] : [[camelCase(flag), value]],
    ),
  );

/** @throws {CliError} `usage` where nothing is to happen. */
function ratesOf(input: Input): Fields {
  const { seed, ...rates } = fieldsOf(input);
  if (Object.keys(rates).length > 0) return fieldsOf(input);
  throw usageError("Give at least one rate, such as --duplicate 0.3 or --lost-responses 0.1.");
}

function readSnapshot(path: string): unknown {
  try {
    return JSON.parse(readFile(path).toString());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usageError(`${path} is not JSON. \`malipo scenes export\` prints what can be imported.`);
  }
}

/** What each call runs: the name of the command, and its fields. */
const CALLS: Readonly<Record<string, (input: Input) => [CommandName, Fields]>> = {
  "faults add": (input) => ["faults/add", { ...fieldsOf(input), kind: input.args[0] ?? "" }],
  "faults remove": ({ args: [id = ""] }) => ["faults/remove", { id }],
  "keys revoke": ({ args: [key = ""] }) => ["keys/revoke", { key }],
  "faults clear": () => ["faults/clear", {}],
  "chaos start": (input) => ["chaos", ratesOf(input)],
  "chaos end": () => ["chaos/end", {}],
  "scenes save": ({ args: [name = ""] }) => ["scenes/save", { name }],
  "scenes load": ({ args: [name = ""] }) => ["scenes/load", { name }],
  "scenes remove": ({ args: [name = ""] }) => ["scenes/remove", { name }],
  "scenes import": ({ args: [file = ""] }) => ["restore", { snapshot: readSnapshot(file) }],
  "events resend-failed": () => ["deliveries/resend-failed", {}],
  "events test": ({ args: [id = ""], values: { event } }) => [
    "webhooks/test",
    { id, ...(event !== undefined && { event }) },
  ],
  reset: ({ switches, values }) => [
    "reset",
    {
      ...(switches.has("keep-receivers") && { keep_receivers: "yes" }),
      ...(values["save-as"] !== undefined && { save_as: values["save-as"] }),
    },
  ],
};

export async function run(input: Input): Promise<number> {
  const { command, subcommand, values, json } = input;
  const call = CALLS[subcommand === "" ? command : `${command} ${subcommand}`];
  if (call === undefined) return list(input);
  const [name, fields] = call(input);
  const result = await runCommand(await findSandbox(values), name, fields);
  printResult(json, result, () => COMMANDS[name].message(result as never));
  return EXIT.ok;
}

interface ActiveFaults {
  readonly faults: readonly {
    id?: string;
    match: object;
    effect: object;
    after: number;
    times: number | null;
  }[];
  readonly chaos?: object;
}

async function list({ command, subcommand, values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
  if (subcommand === "export") {
    printResult(true, await querySandbox(origin, "/snapshot"), () => "");
    return EXIT.ok;
  }
  if (command === "scenes") {
    const result = await querySandbox<{ scenes: { name: string; savedAt: string }[] }>(
      origin,
      "/scenes",
    );
    printResult(json, result, () =>
      result.scenes.length === 0
        ? "No scenes. To save one: malipo scenes save <name>"
        : formatTable(result.scenes.map(({ name, savedAt }) => [name, savedAt])),
    );
    return EXIT.ok;
  }
  const active = await querySandbox<ActiveFaults>(origin, "/faults");
  printResult(json, active, () => formatFaults(active));
  return EXIT.ok;
}

function formatFaults({ faults, chaos }: ActiveFaults): string {
  const rows = faults.map(({ id = "", effect, match, after, times }) => [
    id,
    JSON.stringify(effect),
    JSON.stringify(match),
    `after ${after}`,
    times === null ? "always" : `${times} times`,
  ]);
  const parts = [
    ...(rows.length > 0 ? [formatTable(rows)] : ["No faults."]),
    ...(chaos === undefined ? [] : [formatFields(Object.entries(chaos))]),
  ];
  return parts.join("\n");
}
