import { keyKind } from "../../../contract/keys.ts";
import { ProbeError } from "../../../errors/probe.ts";
import { sleep } from "../../../internal/timeout.ts";
import type { Recorder } from "../../exchange.ts";
import type { Step } from "../steps/step.ts";
import type { Outcome } from "./exchange.ts";
import { exchange, type Outgoing, type Received } from "./exchange.ts";
import { type Notify, RateLimiter } from "./rate-limiter.ts";

const RETRY_AFTER_MS = 1_000;

/** What a client needs to know of the service. */
export interface ClientOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly publicKey: string | undefined;
  readonly recorder: Recorder;
  readonly notify: Notify;
}

/** Sends the requests of the probe, one at a time, and counts them. */
export class Client {
  readonly #options: ClientOptions;
  readonly #limiter: RateLimiter;
  #requests = 0;
  #lastMs = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(options.notify);
  }

  get requests(): number {
    return this.#requests;
  }

  /** How long the service took for the last response, without the waits that it asked for. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /**
   * Sends a request, again if the service limits the rate.
   *
   * @param signal - Ends it. None for what must be known to its end, such as a creation.
   * @param isRead - Whether to send it again if the connection breaks.
   * @throws {ProbeError} as {@link exchange} and {@link RateLimiter} do; `stopped` if the signal ended it.
   */
  async send(
    outgoing: Outgoing,
    {
      signal,
      isRead,
      isWrong = false,
    }: { signal: AbortSignal | undefined; isRead: boolean; isWrong?: boolean },
  ): Promise<Received> {
    for (;;) {
      const received = await this.#sendOnce(outgoing, signal, isRead);
      if (!(await this.#limiter.isToSendAgain(received, signal, { isRead, isWrong }))) {
        if (signal?.aborted) throw stopped();
        return received;
      }
      if (received.status === 429) this.record(outgoing, received, { cause: "rate_limit" });
    }
  }

  async #sendOnce(
    outgoing: Outgoing,
    signal: AbortSignal | undefined,
    isRead: boolean,
  ): Promise<Received> {
    const { baseUrl } = this.#options;
    const isFirst = this.#requests++ === 0;
    const began = performance.now();
    try {
      const received = await exchange(baseUrl, outgoing, signal);
      this.#lastMs = performance.now() - began;
      return received;
    } catch (error) {
      if (signal?.aborted) throw stopped();
      const isBroken = error instanceof ProbeError && error.code === "unreachable";
      if (isFirst || !isRead || !isBroken) throw error;
    }
    if (!(await sleep(RETRY_AFTER_MS, signal))) throw stopped();
    this.#requests++;
    return exchange(baseUrl, outgoing, signal);
  }

  /** The key of a step. */
  keyOf({ key }: Pick<Step, "key">): string | undefined {
    const { key: own, publicKey } = this.#options;
    // Of the same kind, so that only the key itself is unknown.
    const unknown = `${own.slice(0, 3)}malipo_probe_unknown`;
    return { own, public: publicKey, unknown, none: undefined }[key];
  }

  /** Adds an exchange to the profile. */
  record(
    { method, path, query, key, body, origin }: Outgoing,
    { status, headers, text }: Received,
    { cause }: Exclude<Outcome, "unclear">,
  ): void {
    this.#options.recorder.record({
      method,
      path,
      query,
      key: key === undefined ? "none" : (keyKind(key) ?? "other"),
      sent: parseSent(body),
      hasBody: body !== undefined,
      hasOrigin: origin !== undefined,
      cause,
      status,
      headers,
      body: text,
    });
  }
}

function parseSent(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
}

export const stopped = (): ProbeError => new ProbeError("stopped", "The probe was stopped.");
