import { COMMANDS } from "../../../sandbox/control/commands.ts";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { findSandbox } from "../../sandbox/find-sandbox.ts";
import { runCommand } from "../../sandbox/running-sandbox.ts";
import { formatFields, printResult } from "../../terminal/output.ts";
import { PHONE_VALUES, type PhoneSubcommand } from "./phone-subcommands.ts";

export async function run({ subcommand, args, values, json }: Input): Promise<number> {
  const [number = "", value] = args;
  // The parser has checked the subcommand.
  const command = subcommand as PhoneSubcommand;
  const name = `phone/${command}` as const;
  const field = PHONE_VALUES[command]?.name;
  const fields = { number, ...(field !== undefined && { [field]: value }) };
  const result = await runCommand(await findSandbox(values), name, fields);
  const { payment } = result;
  printResult(json, result, () => {
    const fields = formatFields([
      ["phone", result.number],
      ["payment", payment?.reference],
      ["status", payment?.status],
      ["amount", payment && `${payment.currency} ${payment.amount}`],
      ["reason", payment?.failure_reason],
    ]);
    return `${COMMANDS[name].message(result)}\n${fields}`;
  });
  return EXIT.ok;
}
