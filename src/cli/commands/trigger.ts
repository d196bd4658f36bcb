import { randomInt } from "node:crypto";
import { EVENT_KINDS } from "../../contract/events.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { eventExample } from "../../openapi/event-schemas.ts";
import { formatTimestamp } from "../../sandbox/clock.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { adviceFor, sendDelivery } from "../diagnosis/send-delivery.ts";
import { EXIT } from "../exit-codes.ts";
import type { TRIGGER } from "../flags/tools.ts";
import { setField } from "../input/body-fields.ts";
import { readUrl, signingSecret } from "../input/flag-values.ts";
import { suggest } from "../terminal/suggest.ts";
import { formatFields } from "../terminal/table.ts";

export async function run(input: Input<FlagsOf<typeof TRIGGER>>): Promise<Output> {
  const { args, flags } = input;
  const [kind = ""] = args;
  if (!flags.any) checkKind(kind);
  const to = readUrl(flags, "to");
  const secret = signingSecret(input);
  const event = sampleEvent(kind);
  for (const setting of flags.set) setField(event, setting);
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

/**
 * An event as the service would send it now. Each call makes new ids and references, because a
 * receiver treats a second event about the same reference as a duplicate.
 */
function sampleEvent(kind: string): Record<string, unknown> {
  const known = EVENT_KINDS.find((one) => one === kind);
  const data = { ...Object(known && eventExample(known).data) };
  const id = randomInt(1_000_000, 1_000_000_000);
  const fresh = { payment_id: id, reference: `PAY-SAMPLE${id}`, id: `sample_${id}` };
  for (const [name, value] of Object.entries(fresh)) if (name in data) data[name] = value;
  return { event: kind, timestamp: formatTimestamp(Date.now()), data };
}
