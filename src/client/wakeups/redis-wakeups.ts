import type { Cluster, Redis } from "ioredis";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { createWakeups, type Wakeups, wakeupsBy } from "./local.ts";

/** Wake-ups over Redis. */
export interface RedisWakeups extends Wakeups {
  /** Ends the subscription. You close the two clients yourself. */
  close(): Promise<void>;
}

/** The two connections that wake-ups over Redis need. */
export interface RedisWakeupClients {
  /** An ioredis `Redis` or `Cluster`. You may use it for other commands too. */
  readonly publisher: Redis | Cluster;
  /** Another ioredis client, which is then in subscriber mode: `publisher.duplicate()`. */
  readonly subscriber: Redis | Cluster;
}

/** How wake-ups go over Redis. */
export interface RedisWakeupOptions {
  /**
   * The pub/sub channel. Set it if two applications share a Redis.
   *
   * @default "malipo:wakeups"
   */
  channel?: string | undefined;
}

const OPTIONS = {
  channel: (channel = "malipo:wakeups") => channel,
} satisfies OptionRows<RedisWakeupOptions>;

/**
 * Wake-ups between machines, over Redis pub/sub: a webhook that arrives at one machine ends a wait at
 * another with the next read. They are only hints: a lost message makes a wait some seconds longer, and loses
 * no payment. It works with a Redis Cluster and behind Sentinel.
 *
 * @throws {ConfigurationError} for a wrong option.
 */
export function redisWakeups(
  { publisher, subscriber }: RedisWakeupClients,
  options: RedisWakeupOptions = {},
): RedisWakeups {
  const { channel } = checkOptions(options, OPTIONS, "redisWakeups");
  const local = createWakeups();
  const onMessage = (from: string, name: string) => {
    if (from === channel) local.notify(name);
  };
  subscriber.on("message", onMessage);
  // Without Redis there are no hints, but the reads still come: no reason to fail anything.
  const ignore = () => {};
  const subscribe = () => {
    subscriber.subscribe(channel).catch(ignore);
  };
  // At each connection: a client that was without Redis for a long time has dropped its commands.
  subscriber.on("ready", subscribe);
  subscribe();
  return {
    ...wakeupsBy(local.wake, (name) => {
      publisher.publish(channel, name).catch(ignore);
    }),
    close: async () => {
      subscriber.off("message", onMessage);
      subscriber.off("ready", subscribe);
      const unsubscribed = subscriber.unsubscribe(channel).catch(ignore);
      // Without a connection, the command would wait until there is one.
      if (subscriber.status === "ready") await unsubscribed;
    },
  };
}
