import { Redis } from "ioredis";
import { createWakeups, type IdempotencyStore, memory, type Wakeups } from "malipo";
import { postgres } from "malipo/postgres";
import { redis } from "malipo/redis";
import { sqlite } from "malipo/sqlite";
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

/** The schema in PostgreSQL. */
export const schemaName = ({ run }: StoreLocation): string => `malipo_campaign_${run}`;

const OPENERS: Readonly<Record<StoreName, (location: StoreLocation) => Shared>> = {
  memory: () => ({ store: memory().idempotency(), wakeups: createWakeups() }),
  sqlite: ({ address }) => ({
    store: sqlite(address, { onWarning: () => {} }).idempotency(),
    wakeups: createWakeups(),
  }),
  redis: ({ address, run }) => {
    const client = new Redis(address);
    // The campaign kills the engine and cuts connections. ioredis connects again.
    client.on("error", () => {});
    const name = `malipo:campaign:${run}`;
    const db = redis(client, { prefix: `${name}:`, channel: name });
    return { store: db.idempotency({ retentionMs: 3_600_000 }), wakeups: db.wakeups() };
  },
  postgres: (location) => {
    const pool = new pg.Pool({ connectionString: location.address, max: 8 });
    pool.on("error", () => {});
    return {
      store: postgres(pool, { schema: schemaName(location) }).idempotency(),
      wakeups: createWakeups(),
    };
  },
};

export const openStore = (location: StoreLocation): Shared => OPENERS[location.name](location);
