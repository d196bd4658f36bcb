import { randomBytes } from "node:crypto";
import { formatTimestamp } from "../../sandbox/clock/time.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { Failure } from "../failure.ts";
import type { Check } from "./check.ts";
import { adviceFor, sendSigned } from "./send-signed.ts";

/** A kind that the interface does not name: no receiver ships goods for it. */
const PING = "malipo.ping";

/** Sends a receiver a signed ping, which it has to take, and a forged one, which it has to refuse. */
export async function examineReceiver(to: URL, secret: string): Promise<Check[]> {
  const ping = (number: number) =>
    JSON.stringify({
      event: PING,
      timestamp: formatTimestamp(Date.now()),
      data: { message: "malipo doctor", number },
    });
  try {
    return [
      await genuine(to, ping(1), secret),
      await forged(to, ping(2), signWebhook(ping(2), randomBytes(32))),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ name: "receiver", state: "fail", detail: error.message }];
  }
}

async function genuine(to: URL, body: string, secret: string): Promise<Check> {
  const name = "receiver";
  const answer = await sendSigned(to, body, signWebhook(body, secret));
  const detail = `a signed ${PING} to ${to.href}: ${answer.status} in ${answer.latencyMs} ms`;
  const advice = adviceFor(answer.status, answer.location);
  return advice === undefined
    ? { name, state: "ok", detail }
    : { name, state: "fail", detail, advice };
}

async function forged(to: URL, body: string, signature: string): Promise<Check> {
  const name = "forgery";
  const { status } = await sendSigned(to, body, signature);
  const detail = `the same with a forged signature: ${status}`;
  if (status === 401) return { name, state: "ok", detail };
  return status >= 200 && status < 300
    ? {
        name,
        state: "fail",
        detail,
        advice: "It takes forged deliveries: anybody can tell it that a payment was made. Verify.",
      }
    : { name, state: "warn", detail, advice: "Refused, but the interface asks for 401." };
}
