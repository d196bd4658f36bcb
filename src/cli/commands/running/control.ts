import { COMMANDS, type CommandName } from "../../../sandbox/control/commands.ts";
import type { Input } from "../../definitions/types.ts";
import { EXIT } from "../../exit-codes.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { querySandbox, runCommand } from "../../sandbox/running-sandbox.ts";
import { formatFields, formatTable, printResult } from "../../terminal/output.ts";

// The commands of the control API that need no more than their fields.

type Fields = Readonly<Record<string, string>>;

const camelCase = (flag: string) => flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** The flags that were given, as the fields of the command. */
const fieldsOf = ({ values }: Input): Fields =>
  Object.fromEntries(
    Object.entries(values).flatMap(([flag, value]) =>
      flag === "url" || value === undefined ? [] : [[camelCase(flag), value]],
    ),
  );

/** What each call runs: the name of the command, and its fields. */
const CALLS: Readonly<Record<string, (input: Input) => [CommandName, Fields]>> = {
  "faults add": (input) => ["faults/add", { ...fieldsOf(input), kind: input.args[0] ?? "" }],
  "faults clear": () => ["faults/clear", {}],
  "chaos start": (input) => ["chaos", fieldsOf(input)],
  "chaos end": () => ["chaos/end", {}],
  "scenes save": ({ args: [name = ""] }) => ["scenes/save", { name }],
  "scenes load": ({ args: [name = ""] }) => ["scenes/load", { name }],
  "scenes remove": ({ args: [name = ""] }) => ["scenes/remove", { name }],
  reset: () => ["reset", {}],
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
    match: object;
    effect: object;
    after: number;
    times: number | null;
  }[];
  readonly chaos?: object;
}

async function list({ command, values, json }: Input): Promise<number> {
  const origin = await findSandbox(values);
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
  const rows = faults.map(({ effect, match, after, times }) => [
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
