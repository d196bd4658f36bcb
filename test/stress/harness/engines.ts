import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FaultyEngine, faultyFile, faultyServer } from "../../support/engines/faults.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { startRedis } from "../../support/engines/redis.ts";

export type EngineName = "memory" | "sqlite" | "redis" | "postgres";

/** An engine for one campaign, with a folder for its files. */
export interface OpenEngine {
  /** A file, or the address of a server. */
  readonly url: string;
  readonly folder: string;
  /** `undefined` for memory, which has none. */
  readonly faulty: FaultyEngine | undefined;
  /** Stops it, and deletes its data. */
  stop(): Promise<void>;
}

/** Starts an engine. `undefined` if this machine has none of this name. */
export async function openEngine(name: EngineName): Promise<OpenEngine | undefined> {
  const server = await {
    memory: undefined,
    sqlite: undefined,
    redis: startRedis,
    postgres: startPostgres,
  }[name]?.();
  if (server === undefined && (name === "redis" || name === "postgres")) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "malipo-stress-"));
  const file = join(folder, "shop.db");
  const ofFile = name === "sqlite" ? faultyFile(file) : undefined;
  return {
    url: server?.url ?? file,
    folder,
    faulty: server === undefined ? ofFile : faultyServer(server, name as "redis" | "postgres"),
    stop: async () => {
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
