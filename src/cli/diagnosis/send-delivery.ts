import { describeConnectionError } from "../../internal/describe-error.ts";
import { CliError } from "../cli-error.ts";

/** The response of a receiver. */
export interface ReceiverResponse {
  readonly status: number;
  /** Its first characters. */
  readonly body: string;
  readonly latencyMs: number;
  /** The target of a redirect. */
  readonly location?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BODY_LENGTH = 2_000;

/**
 * Sends one delivery as the service does.
 *
 * @throws {CliError} `unreachable` if there is no response.
 */
export async function sendDelivery(
  to: URL,
  body: string,
  signature: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReceiverResponse> {
  const startedAt = performance.now();
  try {
    const response = await fetch(to, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-service-signature": signature,
        ...headers,
      },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const latencyMs = Math.round(performance.now() - startedAt);
    const location = response.headers.get("location");
    return {
      status: response.status,
      body: text.slice(0, MAX_BODY_LENGTH),
      latencyMs,
      ...(location !== null && { location }),
    };
  } catch (cause) {
    throw new CliError("unreachable", describeFailure(to, cause), { cause });
  }
}

function describeFailure(to: URL, error: unknown): string {
  const { name, message, cause } = Object(error) as Error;
  if (name === "TimeoutError") {
    return `${to.href} did not respond within ${TIMEOUT_MS / 1_000} s.`;
  }
  const { code, message: reason = message } = Object(cause) as { code?: string; message?: string };
  return `Could not reach ${to.href}: ${code === undefined ? reason : describeConnectionError(code)}.`;
}

/** What a status means to the service, and what usually causes it; `undefined` for 200. */
export function adviceFor({
  status,
  location,
}: Pick<ReceiverResponse, "status" | "location">): string | undefined {
  if (status === 200) return undefined;
  if (status >= 300 && status < 400) {
    const target = location === undefined ? "" : ` (to ${location})`;
    return `The service does not follow redirects${target}. Register the final URL.`;
  }
  return ADVICE[status] ?? "Only status 200 counts as delivered. The service sends it again.";
}

const ADVICE: Readonly<Record<number, string>> = {
  400: "The receiver rejected the body. A framework may have parsed it before it was verified.",
  401: "The receiver rejected the signature. Most often, it has another secret: `npx malipo env --write .env` writes that of a sandbox. Or it verifies the body after it was parsed, and not the raw bytes.",
  403: "Something in front of the receiver rejects the request: CSRF protection, a login or a firewall.",
  404: "The receiver has no route at this path.",
  405: "The route does not accept POST.",
  413: "The receiver accepts only smaller bodies.",
  500: "The receiver failed. A malipo receiver returns 500 when a framework has parsed the body: move the route above the parser.",
  503: "The receiver could not store the event. It accepts it when it is sent again.",
};
