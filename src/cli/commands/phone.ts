import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { orderSandbox } from "../running-sandbox.ts";
import { columns, result } from "../terminal/output.ts";

interface Answer {
  readonly number: string;
  readonly payment?: Readonly<Record<string, unknown>>;
}

export async function run({ action, args: [number = ""], text, json }: Input): Promise<number> {
  const path = `/phones/${encodeURIComponent(number)}/${action}`;
  const answer = await orderSandbox<Answer>(text.url, { method: "POST", path });
  result(json, answer, () => wordsOf(answer, action));
  return EXIT.ok;
}

function wordsOf({ number, payment }: Answer, action: string): string {
  if (payment === undefined) return `${number} is ${action}.`;
  const { reference, status, currency, amount, failure_reason } = payment;
  return columns([
    ["phone", number],
    ["payment", reference],
    ["status", status],
    ["amount", `${currency} ${amount}`],
    ["reason", failure_reason],
  ]);
}
