import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { callSandbox } from "../sandbox/running-sandbox.ts";
import { formatFields, printResult } from "../terminal/output.ts";

interface PhoneResult {
  readonly number: string;
  readonly payment?: Readonly<Record<string, unknown>>;
}

export async function run(input: Input): Promise<number> {
  const { subcommand, args, values, json } = input;
  const [number = ""] = args;
  const path = `/phones/${encodeURIComponent(number)}/${subcommand}`;
  const result = await callSandbox<PhoneResult>(values, { method: "POST", path });
  printResult(json, result, () => formatPhone(result, subcommand));
  return EXIT.ok;
}

function formatPhone({ number, payment }: PhoneResult, state: string): string {
  if (payment === undefined) return `${number} is ${state}.`;
  const { reference, status, currency, amount, failure_reason } = payment;
  return formatFields([
    ["phone", number],
    ["payment", reference],
    ["status", status],
    ["amount", `${currency} ${amount}`],
    ["reason", failure_reason],
  ]);
}
