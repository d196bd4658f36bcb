import type { Input } from "../definitions/types.ts";
import type { Check } from "../diagnosis/check.ts";
import { examine } from "../diagnosis/gateway.ts";
import { examineReceiver } from "../diagnosis/receiver.ts";
import { EXIT } from "../exit-codes.ts";
import { gatewayOptions } from "../input/gateway-options.ts";
import { addressOf, secretOf } from "../input/values.ts";
import { paint, printable, result } from "../terminal/output.ts";

export async function run(input: Input): Promise<number> {
  const { text, json } = input;
  // Looked at first: a wrong value is to be told before anything is sent.
  const receiver = text.webhook && {
    to: addressOf("--webhook", text.webhook),
    secret: secretOf(text.secret),
  };
  const checks = await examine(gatewayOptions(input), text["key-file"]);
  if (receiver) checks.push(...(await examineReceiver(receiver.to, receiver.secret)));
  else {
    const detail = "not asked for: --webhook http://localhost:3000/webhooks";
    checks.push({ name: "receiver", state: "skipped", detail });
  }
  const healthy = !checks.some(({ state }) => state === "fail");
  result(json, { healthy, checks }, () => checks.map(lineOf).join("\n"));
  return healthy ? EXIT.ok : EXIT.failed;
}

const MARKS = {
  ok: () => paint("green", "ok  "),
  warn: () => paint("yellow", "warn"),
  fail: () => paint("red", "FAIL"),
  skipped: () => paint("dim", "-   "),
} as const;

function lineOf({ name, state, detail, advice }: Check): string {
  const line = `${MARKS[state]()}  ${name.padEnd(11)}  ${printable(detail)}`;
  return advice === undefined ? line : `${line}\n${" ".repeat(19)}${printable(advice)}`;
}
