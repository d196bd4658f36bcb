import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { addressOf } from "./input/values.ts";

const STANDARD_URL = "http://127.0.0.1:4010";
const PREFIX = "/_sandbox/api";
const TIMEOUT_MS = 10_000;

interface Order {
  readonly method: "GET" | "POST";
  /** Below the prefix; parameters are filled in, encoded. */
  readonly path: string;
  readonly body?: object;
  /** Advancing the clock may wait for many receivers. */
  readonly timeoutMs?: number;
}

/**
 * Gives an order to a running sandbox.
 *
 * @param address - Of `--url`; the standard one where it was not given.
 * @throws {Failure} `unreachable` where no sandbox answers there, `refused` where it says no.
 */
export async function orderSandbox<T>(
  address: string | undefined,
  { method, path, body, timeoutMs = TIMEOUT_MS }: Order,
): Promise<T> {
  const { origin } = addressOf("--url", address ?? STANDARD_URL);
  let status: number;
  let text: string;
  try {
    const response = await fetch(origin + PREFIX + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    status = response.status;
    text = await response.text();
  } catch (cause) {
    const late = (cause as Error).name === "TimeoutError" ? " in time" : "";
    const start = "Start one: malipo sandbox. If it has another port, give --url.";
    throw new Failure(
      EXIT.unreachable,
      "unreachable",
      `No sandbox answers${late} at ${origin}. ${start}`,
      { cause },
    );
  }
  const answer = envelopeIn(text);
  if (answer?.success === true) return answer.data as T;
  if (typeof answer?.error === "string" && status === 422) {
    throw new Failure(EXIT.failed, "refused", answer.error);
  }
  const said = typeof answer?.error === "string" ? `: ${answer.error}` : "";
  throw new Failure(
    EXIT.failed,
    "refused",
    `${origin} answered ${status}${said || ", which is no sandbox of this version"}`,
  );
}

function envelopeIn(
  text: string,
): { success?: unknown; data?: unknown; error?: unknown } | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}
