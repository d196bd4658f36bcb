import { randomBytes } from "node:crypto";
import { formatTimestamp } from "../../sandbox/clock.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { CliError } from "../cli-error.ts";
import type { Check } from "./check.ts";
import { adviceFor, sendDelivery } from "./send-delivery.ts";
import { JOINED_WITH_TIME } from "./signed-with-time.ts";

/** An event that the service does not document, so that no receiver ships goods for it. */
const PING = "malipo.ping";

/** Sends a receiver a signed ping, which it must accept, and a forged one, which it must reject. */
export async function checkReceiver(to: URL, secret: string): Promise<Check[]> {
  try {
    return [await checkSigned(to, secret), await checkForged(to, pingBody(2))];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ name: "receiver", state: "fail", detail: error.message }];
  }
}

/** With white space, which is lost if the receiver parses the body and serialises it again. */
const pingBody = (number: number, indent = 1) =>
  JSON.stringify(
    {
      event: PING,
      timestamp: formatTimestamp(Date.now()),
      data: { message: "malipo doctor", number },
    },
    null,
    indent,
  );

async function checkSigned(to: URL, secret: string): Promise<Check> {
  const name = "receiver";
  const body = pingBody(1);
  const response = await sendDelivery(to, body, signWebhook(body, secret));
  const detail = `a signed ${PING} to ${to.href}: ${response.status} in ${response.latencyMs} ms`;
  const { status, location } = response;
  const advice = adviceFor({ status });
  if (advice === undefined) return { name, state: "ok", detail };
  const cause = status === 401 ? await findCause(to, secret) : undefined;
  const target = location === undefined ? {} : { location };
  return { name, state: "fail", detail, ...target, advice: cause ?? advice };
}

/** The headers in which services send the time that they signed. */
const TIME_HEADERS = ["x-service-timestamp", "x-signature-timestamp", "x-timestamp"];

/** What a receiver accepts in the place of the raw body; `undefined` if it is none of the usual mistakes. */
async function findCause(to: URL, secret: string): Promise<string | undefined> {
  const compact = pingBody(3, 0);
  const parsed = await sendDelivery(to, compact, signWebhook(compact, secret));
  if (parsed.status === 200) {
    return "The body was parsed before it was verified: the receiver rejects a body with white space, and accepts the same body without. Pass the raw bytes to the verification: express.raw() on this route, rawBody: true in Nest, await request.arrayBuffer() in fetch frameworks.";
  }
  const time = String(Math.floor(Date.now() / 1_000));
  const headers = Object.fromEntries(TIME_HEADERS.map((header) => [header, time]));
  for (const [form, join] of JOINED_WITH_TIME) {
    const signature = signWebhook(join(time, Buffer.from(compact)), secret);
    const { status } = await sendDelivery(to, compact, signature, headers);
    if (status === 200) {
      return `The secret is right, and the receiver expects a signature of more than the body: ${form}. The service signs only the body. Verify with verifyWebhook.`;
    }
  }
  return undefined;
}

async function checkForged(to: URL, body: string): Promise<Check> {
  const name = "forgery";
  const { status } = await sendDelivery(to, body, signWebhook(body, randomBytes(32)));
  const detail = `a ping with a forged signature: ${status}`;
  if (status === 401) return { name, state: "ok", detail };
  if (status < 200 || status >= 300) {
    const advice = "The receiver rejects it, but should do so with status 401.";
    return { name, state: "warn", detail, advice };
  }
  const advice =
    "The receiver accepts forged deliveries: anyone can report a payment that was never made. Verify the signature.";
  return { name, state: "fail", detail, advice };
}
