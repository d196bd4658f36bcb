import { Redis } from "ioredis";
import { createWakeups, type IdempotencyStore, memoryIdempotency, type Wakeups } from "malipo";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import { redisIdempotency } from "malipo/idempotency/redis";
import { sqliteIdempotency } from "malipo/idempotency/sqlite";
import { redisWakeups } from "malipo/wakeups/redis";
import pg from "pg";

export const STORES = ["memory", "sqlite", "redis", "postgres"] as const;
export type StoreName = (typeof STORES)[number];

/** Where a store is, so that every worker opens the same. */
export interface StorePlace {
  readonly name: StoreName;
  /** A file, or the address of an engine. */
  readonly address: string;
  /** Sets the records of this campaign apart from those of others: letters and digits. */
  readonly run: string;
  /** Leases of this length, in milliseconds, instead of those that the gateway asks for. */
  readonly leaseMs?: number | undefined;
}

/** What a worker shares with the others. */
interface Shared {
  readonly store: IdempotencyStore;
  readonly wakeups: Wakeups;
}

/** The name of the table, where there is one. */
export const tableOf = ({ run }: StorePlace): string => `malipo_campaign_${run}`;

const OPENERS: Readonly<Record<StoreName, (place: StorePlace) => Shared>> = {
  memory: () => ({ store: memoryIdempotency(), wakeups: createWakeups() }),
  sqlite: ({ address }) => ({ store: sqliteIdempotency(address), wakeups: createWakeups() }),
  redis: ({ address, run }) => {
    const redis = new Redis(address);
    return {
      store: redisIdempotency(redis, { prefix: `malipo:campaign:${run}:`, retentionMs: 3_600_000 }),
      wakeups: redisWakeups(
        { publisher: redis, subscriber: redis.duplicate() },
        { channel: `malipo:campaign:${run}` },
      ),
    };
  },
  postgres: (place) => {
    const pool = new pg.Pool({ connectionString: place.address, max: 8 });
    return {
      store: postgresIdempotency(pool, { table: tableOf(place) }),
      wakeups: createWakeups(),
    };
  },
};

export function openStore(place: StorePlace): Shared {
  const { store, wakeups } = OPENERS[place.name](place);
  const { leaseMs } = place;
  if (leaseMs === undefined) return { store, wakeups };
  const begin: IdempotencyStore["begin"] = (key, attempt) =>
    store.begin(key, { ...attempt, leaseMs });
  return { store: { ...store, begin }, wakeups };
}
