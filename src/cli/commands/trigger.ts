import { EVENT_KINDS } from "../../contract/events.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import type { Input } from "../definitions/types.ts";
import { adviceFor, sendSigned } from "../diagnosis/send-signed.ts";
import { EXIT } from "../exit-codes.ts";
import { usage } from "../failure.ts";
import { setField } from "../input/set-fields.ts";
import { addressOf, needed, secretOf } from "../input/values.ts";
import { sampleEvent } from "../sample-events.ts";
import { columns, result } from "../terminal/output.ts";
import { didYouMean } from "../terminal/suggest.ts";

export async function run({ args: [kind = ""], text, many, on, json }: Input): Promise<number> {
  if (!on.has("any") && !(EVENT_KINDS as readonly string[]).includes(kind)) {
    const meant = didYouMean(kind, EVENT_KINDS);
    throw usage(`The interface names no event "${kind}". ${meant} --any sends it all the same.`);
  }
  const to = addressOf("--to", needed("to", text.to));
  const secret = secretOf(text.secret);
  const event = sampleEvent(kind);
  for (const setting of many.set ?? []) setField(event, setting);
  const body = JSON.stringify(event);
  const signature = signWebhook(body, secret);
  const answer = await sendSigned(to, body, signature);
  const advice = adviceFor(answer.status, answer.location);
  result(json, { to: to.href, event, body, signature, answer, ...(advice && { advice }) }, () =>
    columns([
      ["event", kind],
      ["to", to.href],
      ["body", body],
      ["signature", signature],
      ["answer", `${answer.status} in ${answer.latencyMs} ms`],
      ["said", answer.body === "" ? undefined : answer.body],
      ["advice", advice],
    ]),
  );
  return answer.status === 200 ? EXIT.ok : EXIT.failed;
}
