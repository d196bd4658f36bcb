import { retryAfterMs } from "../../client/http/retry-after.ts";
import { keyKind } from "../../contract/keys.ts";
import { ProbeError } from "../../errors/probe-error.ts";
import { describeConnectionError, describeError } from "../../internal/describe-error.ts";
import { failureCode } from "../../internal/failed-before-sending.ts";
import { readBody } from "../../internal/read-body.ts";
import { sleep } from "../../internal/timeout.ts";
import { MINUTE_MS } from "../../internal/units.ts";
import { readBodyResult } from "../../profile/body-result.ts";
import { type Exchange, parseBody } from "../observed.ts";
import type { Recorder } from "../recorder.ts";

export interface Outgoing extends Pick<Exchange, "method" | "path" | "query" | "sent"> {
  /** The text of `sent`. */
  readonly body?: string | undefined;
  readonly key: string | undefined;
  readonly origin?: string | undefined;
}

/** A response that was read to its end, with what a profile learns of its request. */
export interface Received extends Exchange {
  readonly headers: Headers;
  /** `undefined` if the body is not JSON. */
  readonly json: unknown;
}

/** Whether the service did what was asked, with a body of JSON or with none. */
export function isSuccess({ status, json, body }: Received): boolean {
  const isRead = json !== undefined || body.trim() === "";
  return status >= 200 && status < 300 && isRead && !readBodyResult(json)?.hasFailed;
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 10_485_760; // 10 MiB

/**
 * Sends one request to the service, and follows no redirect.
 *
 * @throws {ProbeError} `unreachable` if there is no response.
 */
async function exchange(
  baseUrl: string,
  { body: sentText, key, origin, ...request }: Outgoing,
  signal: AbortSignal | undefined,
): Promise<Received> {
  const { method, path, query } = request;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(baseUrl + path + (query?.size ? `?${query}` : ""), {
      method,
      headers: {
        accept: "application/json",
        "user-agent": "malipo-probe",
        ...(key !== undefined && { "x-api-key": key }),
        ...(sentText !== undefined && { "content-type": "application/json" }),
        ...(origin !== undefined && { origin }),
      },
      ...(sentText !== undefined && { body: sentText }),
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const body = await readBody(response, MAX_BYTES);
    if (body === undefined) {
      const message = `The service sent more than ${MAX_BYTES / 1_048_576} MiB in one response. The probe does not read that much. Check --base-url.`;
      throw new ProbeError("response_too_large", message);
    }
    const { status, headers } = response;
    const { value: json, excess } = parseBody(body);
    if (excess !== undefined) {
      const message = `The service sent JSON that ${excess}. The probe does not read that. Check --base-url.`;
      throw new ProbeError("response_too_large", message);
    }
    return {
      ...request,
      key: key === undefined ? "none" : (keyKind(key) ?? "other"),
      hasBody: sentText !== undefined,
      hasOrigin: origin !== undefined,
      ...{ status, headers, body, json },
    };
  } catch (error) {
    throw error instanceof ProbeError ? error : unreachable(baseUrl, error);
  }
}

function unreachable(baseUrl: string, error: unknown): ProbeError {
  const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
  const code = failureCode(error);
  const reason =
    name === "TimeoutError"
      ? `there was no response within ${TIMEOUT_MS / 1_000} s`
      : code === undefined
        ? describeError(cause ?? error)
        : describeConnectionError(code);
  return new ProbeError(
    "unreachable",
    `The probe got no response from ${new URL(baseUrl).origin}: ${reason}. Check --base-url, and that the service is up.`,
    { cause: error },
  );
}

/** The wait after a failure, which doubles, and after a limit of the rate without a time. */
const PAUSE_MS = 1_000;
const DEFAULT_LIMIT_MS = 2_000;
/** For one response, and for all of them together. */
const MAX_WAIT_MS = 120_000;
const MAX_TOTAL_MS = 300_000;
const MAX_ERRORS_IN_A_ROW = 3;

/** How a request is sent: how often again, after which status besides, and whether a 5xx is a failure. */
interface Way {
  readonly repeats: number;
  readonly isPassing: (status: number) => boolean;
  readonly isCounted: boolean;
}

const WAYS = {
  /** What happened must be known: it is sent once. */
  write: { repeats: 0, isPassing: () => false, isCounted: true },
  /** An overloaded service returns these for a moment. */
  read: { repeats: 1, isPassing: (status) => [502, 503, 504].includes(status), isCounted: true },
  /** It is wrong on purpose: a service may respond with 500 to an unknown id, and that is its answer. */
  wrong: { repeats: 1, isPassing: () => false, isCounted: false },
  /** Waits for the service to be well again: 1 s, 2 s and 4 s. */
  cleanUp: { repeats: 3, isPassing: (status) => status >= 500, isCounted: false },
} satisfies Record<string, Way>;

interface ClientOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly recorder: Recorder;
  /** Shows a message to the user beside the progress. */
  readonly notify: (message: string) => void;
}

export const stopped = (): ProbeError => new ProbeError("stopped", "The probe was stopped.");

/** Sends the requests of the probe, one at a time. A service that is busy or fails now and then gets them again. */
export class Client {
  readonly #options: ClientOptions;
  #waitedMs = 0;
  #errorsInARow = 0;
  requests = 0;
  /** How long the service took for the last response, without the waits that it asked for. */
  lastMs = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, again if the service limits the rate.
   *
   * @param signal - Ends it. None for what must be known to its end, such as a creation.
   * @throws {ProbeError} `unreachable`, `rate_limit` if the wait would be too long, `service_error`
   *   after several 5xx in a row, `stopped` if the signal ended it.
   */
  async send(outgoing: Outgoing, way: keyof typeof WAYS, signal?: AbortSignal): Promise<Received> {
    const { repeats, isPassing, isCounted } = WAYS[way];
    for (let failures = 0; ; ) {
      const isFirst = this.requests++ === 0;
      const began = performance.now();
      let waitMs = PAUSE_MS * 2 ** failures;
      try {
        const received = await exchange(this.#options.baseUrl, outgoing, signal);
        const { status } = received;
        this.lastMs = performance.now() - began;
        if (isCounted) this.#countError(status);
        if (status === 429) {
          waitMs = this.#limitMs(received);
          this.#options.recorder.record({ ...received, cause: "rate_limit" });
        } else if (!isPassing(status) || failures++ >= repeats) return received;
      } catch (error) {
        if (signal?.aborted) throw stopped();
        if (isFirst || !isUnreachable(error) || failures++ >= repeats) throw error;
      }
      if (!(await sleep(waitMs, signal))) throw stopped();
    }
  }

  /** Sends a request of the clean-up, and never throws. `undefined`: no response. */
  ask(method: "GET" | "DELETE", path: string): Promise<Received | undefined> {
    const outgoing = { method, path, key: this.#options.key };
    return this.send(outgoing, "cleanUp").catch(() => undefined);
  }

  #limitMs({ headers }: Received): number {
    const waitMs = Math.max(retryAfterMs(headers, true) ?? DEFAULT_LIMIT_MS, PAUSE_MS);
    const seconds = Math.ceil(waitMs / 1_000);
    this.#waitedMs += waitMs;
    if (waitMs > MAX_WAIT_MS || this.#waitedMs > MAX_TOTAL_MS) {
      throw new ProbeError(
        "rate_limit",
        `The service limits the rate (429), and asks to wait ${seconds} s. The probe waits at most ${MAX_WAIT_MS / 1_000} s at a time and ${MAX_TOTAL_MS / MINUTE_MS} min in all. Try again later, or ask for a higher limit.`,
      );
    }
    this.#options.notify(`The service limits the rate (429). The probe waits ${seconds} s.`);
    return waitMs;
  }

  #countError(status: number): void {
    this.#errorsInARow = status >= 500 ? this.#errorsInARow + 1 : 0;
    if (this.#errorsInARow < MAX_ERRORS_IN_A_ROW) return;
    this.#errorsInARow = 0;
    throw new ProbeError(
      "service_error",
      `The service returned ${status} to ${MAX_ERRORS_IN_A_ROW} requests in a row. The probe stopped, so that it does no harm. Try again when the service is well.`,
    );
  }
}

export const isUnreachable = (error: unknown): error is ProbeError =>
  error instanceof ProbeError && error.code === "unreachable";
