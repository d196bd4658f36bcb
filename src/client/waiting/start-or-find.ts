import { isGatewayError } from "../../errors/any.ts";
import { sleep } from "../../internal/timeout.ts";
import { nextReadInMs } from "./poll-schedule.ts";

/** What a look for the payment of an attempt says. `open`: it may still be found. */
export type Look = "found" | "open" | "gone";

/** How to look for a payment that may have been started. */
export interface Search {
  /** Must not send anything. */
  look(leftMs: number): Promise<Look>;
  /** What is left of the time limit. */
  leftMs(): number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Starts a payment. Where the outcome is unknown, looks for the payment until it is found, cannot
 * appear any more, or time is up.
 *
 * @param start - Once the payment was found, it resolves with it and sends nothing.
 * @param search - `undefined` where the payment could not be recognised.
 */
export async function startOrFind<T>(
  start: () => Promise<T>,
  search: Search | undefined,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (search === undefined || !mayHaveStarted(error)) throw error;
    if (!(await isFound(search))) throw error;
    return start();
  }
}

/** A caller that does not wait for another's attempt does not want to wait for its payment either. */
const mayHaveStarted = (error: unknown): boolean =>
  isGatewayError(error) && error.outcome === "unknown" && error.code !== "attempt_in_flight";

async function isFound({ look, leftMs, signal }: Search): Promise<boolean> {
  const started = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const found = await lookOnce(look, leftMs());
    if (found !== "open") return found === "found";
    const elapsedMs = performance.now() - started;
    const nextMs = nextReadInMs(elapsedMs, elapsedMs + leftMs());
    if (nextMs === undefined) return false;
    await sleep(nextMs, signal);
  }
}

/** A look that fails says nothing: the next one may succeed. */
async function lookOnce(look: Search["look"], leftMs: number): Promise<Look> {
  try {
    return await look(leftMs);
  } catch {
    return "open";
  }
}
