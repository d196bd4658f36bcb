import { EVENT_KINDS } from "../../contract/events.ts";
import { signWebhook } from "../../webhooks/signature.ts";
import { EXIT } from "../exit-codes.ts";
import { usage } from "../failure.ts";
import { columns, result } from "../output.ts";
import { sampleEvent } from "../sample-events.ts";
import { adviceFor, sendSigned } from "../send-signed.ts";
import { setField } from "../set-fields.ts";
import { didYouMean } from "../suggest.ts";
import type { Input } from "../table.ts";
import { addressOf, needed, secretOf } from "../values.ts";

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
