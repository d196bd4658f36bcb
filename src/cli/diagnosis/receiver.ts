import { randomBytes } from "node:crypto";
import { formatTimestamp } from "../../sandbox/clock/time.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { CliError } from "../cli-error.ts";
import type { Check } from "./check.ts";
import { adviceFor, sendDelivery } from "./send-delivery.ts";

/** An event that the service does not document, so that no receiver ships goods for it. */
const PING = "malipo.ping";

/** Sends a receiver a signed ping, which it must accept, and a forged one, which it must reject. */
export async function checkReceiver(to: URL, secret: string): Promise<Check[]> {
  try {
    return [await checkSigned(to, pingBody(1), secret), await checkForged(to, pingBody(2))];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ name: "receiver", state: "fail", detail: error.message }];
  }
}

const pingBody = (number: number) =>
  JSON.stringify({
    event: PING,
    timestamp: formatTimestamp(Date.now()),
    data: { message: "malipo doctor", number },
  });

async function checkSigned(to: URL, body: string, secret: string): Promise<Check> {
  const name = "receiver";
  const response = await sendDelivery(to, body, signWebhook(body, secret));
  const detail = `a signed ${PING} to ${to.href}: ${response.status} in ${response.latencyMs} ms`;
  const advice = adviceFor(response);
  return advice === undefined
    ? { name, state: "ok", detail }
    : { name, state: "fail", detail, advice };
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
