import type { Pace } from "../pace.ts";
import type { BullmqConnection } from "./redis.ts";

/** What `bullmqInbox` takes. */
export interface BullmqInboxOptions {
  /**
   * An ioredis `Redis` or `Cluster`, or the options for a `Redis`. A client stays yours: the inbox opens
   * its own connections, with your settings: Sentinel, TLS, a user name.
   */
  connection: BullmqConnection;
  /**
   * The name of the inbox. Its queues are `{<queue>-payment.completed}` and so on, one for each documented
   * kind of event, and `{<queue>-other}`. Set it if two shops, or two environments, share a Redis.
   * Letters, digits, `.`, `_` and `-`. Another name is another, empty inbox: first let the old one run empty.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * How many replicas must have an event before it is acknowledged. Set it if a replica may take over
   * from the Redis: with 1, no acknowledged event is lost if the replica that has it takes over. While
   * fewer are connected, deliveries are not acknowledged.
   * @default 0
   */
  replicas?: number | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised: at
   * least one day, at most 68 years. Set it shorter if Redis is short of memory, but longer than the
   * service retries a delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  pace?: Pace | undefined;
}

export const OPTIONS = ["connection", "queue", "replicas", "retentionMs", "pace"];
