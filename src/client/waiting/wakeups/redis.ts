/**
 * Wake-ups for machines that share a Redis.
 *
 * @module malipo/wakeups/redis
 */

import type { Redis } from "ioredis";
import { createWakeups, type Wakeups } from "./local.ts";

/** Wake-ups over Redis. */
export interface RedisWakeups extends Wakeups {
  /** Ends the subscription. The clients stay yours to close. */
  close(): Promise<void>;
}

/**
 * Wake-ups among many machines, over Redis pub/sub: a webhook that arrives at one ends a wait at
 * another within one read. Hints alone go over it, so a message that is lost costs a few seconds,
 * and a payment nothing.
 *
 * @param clients - `publisher`: an ioredis client. `subscriber`: another, which this keeps in
 * subscriber mode: `publisher.duplicate()`.
 * @param options - `channel`. Default: `malipo:wakeups`.
 *
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { redisWakeups } from "malipo/wakeups/redis";
 *
 * const publisher = new Redis();
 * const wakeups = redisWakeups({ publisher, subscriber: publisher.duplicate() });
 * const payment = await gateway.payments.waitFor(reference, { wake: wakeups.wake });
 * ```
 */
export function redisWakeups(
  { publisher, subscriber }: { publisher: Redis; subscriber: Redis },
  { channel = "malipo:wakeups" }: { channel?: string | undefined } = {},
): RedisWakeups {
  const local = createWakeups();
  const onMessage = (from: string, reference: string) => {
    if (from === channel) local.notify(reference);
  };
  subscriber.on("message", onMessage);
  // Without Redis there are no hints, and the reads still come: not worth failing anything for.
  const ignore = () => {};
  const subscribe = () => {
    subscriber.subscribe(channel).catch(ignore);
  };
  // At each connection: a client that found no Redis for long has given up what it was asked.
  subscriber.on("ready", subscribe);
  subscribe();
  return {
    wake: local.wake,
    notify: (reference) => {
      publisher.publish(channel, reference).catch(ignore);
    },
    close: async () => {
      subscriber.off("message", onMessage);
      subscriber.off("ready", subscribe);
      const unsubscribed = subscriber.unsubscribe(channel).catch(ignore);
      // One that has no connection would be waited for until it has.
      if (subscriber.status === "ready") await unsubscribed;
    },
  };
}
