import { EVENT_KINDS } from "../../contract/events.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { adviceFor, sendDelivery } from "../diagnosis/send-delivery.ts";
import { EXIT } from "../exit-codes.ts";
import { readUrl, signingSecret } from "../input/flag-values.ts";
import { setField } from "../input/set-field.ts";
import { sampleEvent } from "../sample-events.ts";
import { formatFields } from "../terminal/output.ts";
import { suggest } from "../terminal/suggest.ts";

export async function run(input: Input): Promise<Output> {
  const { args, values, repeated } = input;
  const [kind = ""] = args;
  if (!input.switches.has("any")) checkKind(kind);
  const to = readUrl(values, "to");
  const secret = signingSecret(values);
  const event = sampleEvent(kind);
  for (const setting of repeated.set ?? []) setField(event, setting);
  const body = JSON.stringify(event);
  const signature = signWebhook(body, secret);
  const response = await sendDelivery(to, body, signature);
  const advice = adviceFor(response);
  return {
    value: { to: to.href, event, body, signature, answer: response, ...(advice && { advice }) },
    text: () =>
      formatFields([
        ["event", kind],
        ["to", to.href],
        ["body", body],
        ["signature", signature],
        ["response", `${response.status} in ${response.latencyMs} ms`],
        ["response body", response.body === "" ? undefined : response.body],
        ["advice", advice],
      ]),
    exitCode: response.status === 200 ? EXIT.ok : EXIT.failed,
  };
}

function checkKind(kind: string): void {
  if (EVENT_KINDS.some((known) => known === kind)) return;
  throw usageError(
    `The service documents no event "${kind}". ${suggest(kind, EVENT_KINDS)} To send it anyway, add --any.`,
  );
}
