import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { meaningOf } from "./unreached.ts";

/** What a receiver answered. */
export interface Answer {
  readonly status: number;
  /** Its first characters. */
  readonly body: string;
  readonly latencyMs: number;
  /** Where it sent us, if it did. */
  readonly location?: string;
}

const TIMEOUT_MS = 10_000;
const SHOWN = 2_000;

/**
 * Sends one delivery as the service does.
 *
 * @throws {Failure} `unreachable` where no answer came.
 */
export async function sendSigned(to: URL, body: string, signature: string): Promise<Answer> {
  const started = performance.now();
  try {
    const response = await fetch(to, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "x-service-signature": signature },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const latencyMs = Math.round(performance.now() - started);
    const location = response.headers.get("location");
    return {
      status: response.status,
      body: text.slice(0, SHOWN),
      latencyMs,
      ...(location !== null && { location }),
    };
  } catch (error) {
    throw new Failure(EXIT.unreachable, "unreachable", whyUnreached(to, error), { cause: error });
  }
}

/** Why no answer came, in a sentence. */
function whyUnreached(to: URL, error: unknown): string {
  const { name, message, cause } = Object(error) as Error;
  if (name === "TimeoutError") return `${to.href} did not answer within ${TIMEOUT_MS / 1_000} s.`;
  const { code, message: reason } = Object(cause) as { code?: string; message?: string };
  return `${to.href} was not reached: ${code === undefined ? (reason ?? message) : meaningOf(code)}.`;
}

/** What a status means to the service, and what usually lies behind it. */
export function adviceFor(status: number, location: string | undefined): string | undefined {
  if (status === 200) return undefined;
  if (status >= 300 && status < 400) {
    return `Redirects are not followed${location === undefined ? "" : ` (to ${location})`}: register the address it leads to.`;
  }
  return ADVICE[status] ?? "Anything but 200 counts as not delivered, and is sent again.";
}

const ADVICE: Readonly<Record<number, string>> = {
  400: "The receiver found the body wrong. Behind a framework, it may have been parsed before it was verified.",
  401: "The receiver refused the signature. Does it hold this secret? Does it verify the raw bytes, before any parsing?",
  403: "Something before the receiver turns it away: CSRF protection, a login, a firewall?",
  404: "There is no route at this path.",
  405: "The route does not take POST.",
  413: "The receiver takes smaller bodies only.",
  500: "The receiver failed. malipo receivers answer 500 where a framework has parsed the body: move the route above its parser.",
  503: "The receiver could not store it; it will take it later.",
};
