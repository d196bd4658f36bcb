import { conflictIdOf } from "../conflicts.ts";
import type { NewDelivery } from "../types.ts";

/** The number of this layout of names and records. A Redis with another one is not used. */
export const FORMAT = 1;

/**
 * The name of BullMQ's queue. The braces are a hash tag: in a Redis Cluster, all keys of the queue are in
 * one slot.
 */
export const bullmqQueueName = (inbox: string, queue: string): string => `{${inbox}-${queue}}`;

/** The keys of the ledger for the events of one queue, in the same slot as the queue. */
export interface LedgerKeys {
  /** The format number, and what processes did when. */
  readonly meta: string;
  /** The ids of dead letters by the times of their receipt. */
  readonly deadLetters: string;
  readonly conflicts: string;
  readonly doublePayments: string;
  /** The keys of events that wait for a retry, by the times of their receipt. */
  readonly retrying: string;
  event(key: string): string;
  conflict(delivery: Pick<NewDelivery, "key" | "digest">): string;
  doublePayment(id: string): string;
}

export function ledgerKeys(inbox: string, queue: string): LedgerKeys {
  const tag = bullmqQueueName(inbox, queue);
  return {
    meta: `${tag}:meta`,
    deadLetters: `${tag}:dead-letters`,
    conflicts: `${tag}:conflicts`,
    doublePayments: `${tag}:double-payments`,
    retrying: `${tag}:retrying`,
    event: (key) => `${tag}:${key}`,
    conflict: (delivery) => `${tag}:${conflictIdOf(delivery)}`,
    doublePayment: (id) => `${tag}:double-payment:${id}`,
  };
}

/** Keys that only the layout before the first format number had. */
export const formerKeys = (inbox: string): string[] => [
  `bull:${inbox}:malipo-shards`,
  `bull:{${inbox}}:malipo-shards`,
];
