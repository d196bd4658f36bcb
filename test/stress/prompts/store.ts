import { Redis } from "ioredis";
import { createWakeups, type IdempotencyStore, memoryIdempotency, type Wakeups } from "malipo";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import { redisIdempotency } from "malipo/idempotency/redis";
import { sqliteIdempotency } from "malipo/idempotency/sqlite";
import { redisWakeups } from "malipo/wakeups/redis";
import pg from "pg";

export const STORES = ["memory", "sqlite", "redis", "postgres"] as const;
export type StoreName = (typeof STORES)[number];

/** Sends every worker the address of the shared store. */
export interface StoreLocation {
  readonly name: StoreName;
  /** A file, or the URL of an engine. */
  readonly address: string;
  /** Separates the records of this campaign from others. Letters and digits. */
  readonly run: string;
}

/** What all workers share. */
interface Shared {
  readonly store: IdempotencyStore;
  readonly wakeups: Wakeups;
}

/** The table in PostgreSQL. */
export const tableName = ({ run }: StoreLocation): string => `malipo_campaign_${run}`;

const OPENERS: Readonly<Record<StoreName, (location: StoreLocation) => Shared>> = {
  memory: () => ({ store: memoryIdempotency(), wakeups: createWakeups() }),
  sqlite: ({ address }) => ({
    store: sqliteIdempotency(address, { onWarning: () => {} }),
    wakeups: createWakeups(),
  }),
  redis: ({ address, run }) => {
    const redis = new Redis(address);
    const subscriber = redis.duplicate();
    // The campaign kills the engine and cuts connections. ioredis connects again.
    for (const client of [redis, subscriber]) client.on("error", () => {});
    return {
      store: redisIdempotency(redis, { prefix: `malipo:campaign:${run}:`, retentionMs: 3_600_000 }),
      wakeups: redisWakeups(
        { publisher: redis, subscriber },
        { channel: `malipo:campaign:${run}` },
      ),
    };
  },
  postgres: (location) => {
    const pool = new pg.Pool({ connectionString: location.address, max: 8 });
    pool.on("error", () => {});
    return {
      store: postgresIdempotency(pool, { table: tableName(location) }),
      wakeups: createWakeups(),
    };
  },
};

export const openStore = (location: StoreLocation): Shared => OPENERS[location.name](location);
