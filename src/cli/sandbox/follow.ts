import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../sandbox/index.ts";
import type { LoggedExchange } from "../../sandbox/observe/exchange-log.ts";
import { querySandbox } from "./running-sandbox.ts";

/** What is new in a running sandbox since the last look. */
export interface News {
  readonly requests: readonly LoggedExchange[];
  /** With a new attempt. */
  readonly deliveries: readonly Delivery[];
}

const INTERVAL_MS = 500;
const LIMIT = 200;

/**
 * Returns a function that reads what has happened since its last call, the oldest first.
 *
 * @throws {CliError} if the sandbox does not respond.
 */
export function newsOf(origin: string): () => Promise<News> {
  let lastRequest = 0;
  const known = new Map<string, number>();
  const hasNewAttempt = ({ id, attempts }: Delivery): boolean => {
    const before = known.get(id) ?? 0;
    known.set(id, attempts.length);
    return attempts.length > before;
  };
  return async () => {
    const [{ requests }, { deliveries }] = await Promise.all([
      querySandbox<{ requests: LoggedExchange[] }>(origin, `/requests?limit=${LIMIT}`),
      querySandbox<{ deliveries: Delivery[] }>(origin, `/deliveries?limit=${LIMIT}`),
    ]);
    const newest = requests[0]?.id ?? 0;
    // The sandbox was reset or restarted: it counts from the beginning.
    if (newest < lastRequest) lastRequest = 0;
    const fresh = requests.filter(({ id }) => id > lastRequest).reverse();
    lastRequest = newest;
    return { requests: fresh, deliveries: deliveries.filter(hasNewAttempt).reverse() };
  };
}

/** Calls `print` with what is new, until the promise resolves. */
export async function follow(
  nextNews: () => Promise<News>,
  print: (news: News) => void,
  stopped: Promise<unknown>,
): Promise<void> {
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    print(await nextNews());
    await Promise.race([sleep(INTERVAL_MS), stopped]);
  }
}
