import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../support/engines/engine.ts";
import { type FaultyEngine, faultyFile, faultyServer } from "../../support/engines/faults.ts";
import { startMysql } from "../../support/engines/mysql.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { type EngineName, type OwnTables, type Place, tablesIn } from "./databases.ts";

/** An engine that runs: how it dies and comes back. */
interface Running {
  /** A file, or the address of a server. */
  readonly url: string;
  /** `undefined` for memory, which has none. */
  readonly faulty: FaultyEngine | undefined;
  stop(): Promise<unknown>;
}

/** What a campaign needs to know of an engine. */
interface EngineRow {
  /** Whether several processes use it. */
  readonly isShared: boolean;
  /** Whether it is one file on the disk of the machine. */
  readonly isFile: boolean;
  /** Starts it. `undefined` if this machine has none. `file` is for an engine that is one. */
  start(file: string): Promise<Running | undefined>;
}

const server = (
  name: Parameters<typeof faultyServer>[1],
  start: () => Promise<Engine | undefined>,
): EngineRow => ({
  ...{ isShared: true, isFile: false },
  start: async () => {
    const engine = await start();
    if (engine === undefined) return undefined;
    return { url: engine.url, faulty: faultyServer(engine, name), stop: () => engine.stop() };
  },
});

const nothing = async () => {};

/** Every engine of a campaign. `databases.ts` has what a shop does with it. */
export const ENGINES: Readonly<Record<EngineName, EngineRow>> = {
  memory: {
    ...{ isShared: false, isFile: false },
    start: async (url) => ({ url, faulty: undefined, stop: nothing }),
  },
  sqlite: {
    ...{ isShared: true, isFile: true },
    start: async (url) => ({ url, faulty: faultyFile(url), stop: nothing }),
  },
  redis: server("redis", startRedis),
  postgres: server("postgres", startPostgres),
  mysql: server("mysql", startMysql),
};

/** An engine for one campaign, with the tables of the merchant. */
export interface OpenEngine extends Pick<Running, "faulty"> {
  readonly place: Place;
  readonly tables: OwnTables;
  /** Stops it, and deletes its data. */
  close(): Promise<void>;
}

/** Starts an engine. `undefined` if this machine has none of this name. */
export async function openEngine(engine: EngineName): Promise<OpenEngine | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "malipo-stress-"));
  const running = await ENGINES[engine].start(join(folder, "shop.db"));
  if (running === undefined) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const place: Place = {
    ...{ engine, url: running.url, ledger: join(folder, "ledger.db") },
    // An engine that was given by its address has the data of others, too.
    name: `malipo_campaign_${randomBytes(6).toString("hex")}`,
  };
  const tables = await tablesIn(place);
  await tables.make();
  return {
    ...{ place, tables, faulty: running.faulty },
    close: async () => {
      await tables.drop();
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
