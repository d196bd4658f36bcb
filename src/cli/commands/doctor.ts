import type { FlagsOf } from "../../internal/flags.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { Check } from "../diagnosis/check.ts";
import { checkGateway } from "../diagnosis/check-gateway.ts";
import { checkReceiver } from "../diagnosis/check-receiver.ts";
import { checkRegistrations } from "../diagnosis/check-registrations.ts";
import { EXIT } from "../exit-codes.ts";
import type { DOCTOR } from "../flags/tools.ts";
import { givenGateway } from "../gateway-from-flags.ts";
import { readUrl, signingSecret } from "../input/flag-values.ts";
import { paint, printable } from "../terminal/output.ts";

export async function run(input: Input<FlagsOf<typeof DOCTOR>>): Promise<Output> {
  const { flags, io } = input;
  const secret = (["secret", "secret-file"] as const).find((name) => flags[name] !== undefined);
  if (secret !== undefined && flags.webhook === undefined) {
    throw usageError(`--${secret} goes with --webhook: it is the secret of that receiver.`);
  }
  // Read before the checks: an invalid value is reported before anything is sent. First the variables of a file.
  const given = givenGateway(input);
  const receiver =
    flags.webhook === undefined
      ? undefined
      : { url: readUrl(flags, "webhook"), secret: signingSecret(input) };
  const gateway = await checkGateway(io, given, flags["key-file"]);
  const isReachable = !gateway.some(({ state }) => state === "fail");
  const checks = [
    ...gateway,
    ...(isReachable ? [await checkRegistrations(given, receiver?.url.href)] : []),
    ...(receiver ? await checkReceiver(receiver.url, receiver.secret) : [RECEIVER_SKIPPED]),
  ];
  const healthy = !checks.some(({ state }) => state === "fail");
  return {
    value: { healthy, checks },
    text: () => checks.map(formatCheck).join("\n"),
    exitCode: healthy ? EXIT.ok : EXIT.failed,
  };
}

const RECEIVER_SKIPPED: Check = {
  name: "receiver",
  state: "skipped",
  detail: "not checked. To check it: --webhook http://localhost:3000/webhooks",
};

const STATES = {
  ok: () => paint("green", "ok  "),
  warn: () => paint("yellow", "warn"),
  fail: () => paint("red", "FAIL"),
  skipped: () => paint("dim", "-   "),
} as const;

function formatCheck({ name, state, detail, location, advice }: Check): string {
  const found = location === undefined ? detail : `${detail}, redirected to ${location}`;
  const line = `${STATES[state]()}  ${name.padEnd(11)}  ${printable(found)}`;
  return advice === undefined ? line : `${line}\n${" ".repeat(19)}${printable(advice)}`;
}
