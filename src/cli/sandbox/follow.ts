import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../sandbox/index.ts";
import { querySandbox } from "./running-sandbox.ts";
import type { LoggedRequest } from "./sandbox-log.ts";

/** What is new in a running sandbox since the last look. */
export interface News {
  readonly requests: readonly LoggedRequest[];
  /** With a new attempt. */
  readonly deliveries: readonly Delivery[];
}

const INTERVAL_MS = 500;
const LIMIT = 200;

/** What has happened in a running sandbox, the oldest first. */
export class Follower {
  readonly #origin: string;
  #lastRequest = 0;
  readonly #attempts = new Map<string, number>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @throws {CliError} if the sandbox does not respond. */
  async next(): Promise<News> {
    const [{ requests }, { deliveries }] = await Promise.all([
      querySandbox<{ requests: LoggedRequest[] }>(this.#origin, `/requests?limit=${LIMIT}`),
      querySandbox<{ deliveries: Delivery[] }>(this.#origin, `/deliveries?limit=${LIMIT}`),
    ]);
    const newest = requests[0]?.id ?? 0;
    // The sandbox was reset or restarted: it counts from the beginning.
    if (newest < this.#lastRequest) this.#lastRequest = 0;
    const fresh = requests.filter(({ id }) => id > this.#lastRequest).reverse();
    this.#lastRequest = newest;
    const changed = deliveries.filter((one) => this.#hasNewAttempt(one)).reverse();
    return { requests: fresh, deliveries: changed };
  }

  #hasNewAttempt({ id, attempts }: Delivery): boolean {
    const known = this.#attempts.get(id) ?? 0;
    this.#attempts.set(id, attempts.length);
    return attempts.length > known;
  }
}

/** Calls `print` with what is new, until the promise resolves. */
export async function follow(
  follower: Follower,
  print: (news: News) => void,
  stopped: Promise<unknown>,
): Promise<void> {
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    print(await follower.next());
    await Promise.race([sleep(INTERVAL_MS), stopped]);
  }
}
