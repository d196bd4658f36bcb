import type { CheckoutStore } from "../../checkout/orders/checkout-store.ts";
import type { StoredPart, StoredSettings } from "../../engines/engine-life.ts";
import type { IdempotencyEngine } from "../../idempotency/idempotency-engine.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { InboxOptions } from "../../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../../webhooks/inbox/inbox-types.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { printError } from "../terminal/output.ts";
import {
  connectMysql,
  connectPostgres,
  connectRedis,
  loadFromProject,
  type StoreAddress,
  storeAddress,
} from "./databases.ts";

/** The flags that say which engine, and how it was set up. */
export interface EngineFlags {
  readonly store: string | undefined;
  readonly queue?: string | undefined;
  readonly schema?: string | undefined;
  readonly prefix?: string | undefined;
}

/** What a command may ask of any engine. */
interface AnyEngine extends IdempotencyEngine {
  inbox(options?: InboxOptions & { readonly queue?: string }): Inbox;
  checkout?(): CheckoutStore;
  stored(part: StoredPart, queue?: string): Promise<StoredSettings | undefined>;
  close(): Promise<void>;
}

/** An engine that holds a part already. */
interface OpenEngine {
  readonly engine: AnyEngine;
  /** The options of the part, as it was stored with them. */
  readonly settings: StoredSettings & { readonly queue?: string };
  close(): Promise<void>;
}

interface StoreEngine {
  /** Flags that say something about other engines only. */
  readonly notOf: readonly ("queue" | "schema" | "prefix")[];
  /** Where a part is looked for, in words. */
  place(address: string, flags: EngineFlags, part: StoredPart): string;
  open(
    address: string,
    input: Input<EngineFlags>,
    pepper: { readonly pepper?: string },
  ): Promise<Pick<OpenEngine, "engine" | "close">>;
}

/** An engine on a pool of ours. */
const onPool = (engine: { close(): Promise<void> }, pool: { end(): Promise<void> }) => ({
  engine: engine as AnyEngine,
  close: async () => {
    await engine.close();
    await pool.end();
  },
});

const STORE_ENGINES: Readonly<Record<StoreAddress["engine"], StoreEngine>> = {
  sqlite: {
    notOf: ["queue", "schema", "prefix"],
    place: (path) => path,
    open: async (path, _, pepper) => {
      const { sqlite } = await import("../../engines/sqlite.ts");
      const engine = sqlite(path, pepper);
      return { engine: engine as AnyEngine, close: () => engine.close() };
    },
  },
  redis: {
    notOf: ["schema"],
    place: (_, { queue = "malipo-webhooks" }, part) =>
      part === "inbox" ? `the queue ${queue} of this Redis` : "this Redis",
    open: async (url, { flags: { prefix }, io }, pepper) => {
      const client = connectRedis(io, url);
      const { redis } = await import("../../engines/redis.ts");
      const onWarning = (text: string) => printError(io, text);
      const engine = redis(client, { ...pepper, prefix, onWarning });
      return onPool(engine, { end: async () => client.disconnect() });
    },
  },
  postgres: {
    notOf: ["queue", "prefix"],
    place: (_, { schema = "malipo_checkout" }) => `the schema ${schema} of this PostgreSQL`,
    open: async (url, { flags: { schema }, io }, pepper) => {
      const pool = connectPostgres(io, url);
      const { postgres } = await import("../../engines/postgres.ts");
      return onPool(postgres(pool, { ...pepper, schema }), pool);
    },
  },
  mysql: {
    notOf: ["queue", "schema", "prefix"],
    place: () => "this database",
    open: async (url, { io }, pepper) => {
      const pool = connectMysql(io, url);
      const { mysql } = await import("../../engines/mysql.ts");
      return onPool(mysql(pool, pepper), pool);
    },
  },
};

const NOTHING: Readonly<Record<StoredPart, string>> = {
  idempotency: "There are no idempotency keys",
  inbox: "There is no inbox",
  checkout: "There are no orders of a checkout",
};

/**
 * Opens the engine that `--store` names. An engine makes what is missing; a command that looks at a part must not,
 * so it must be there.
 *
 * @throws {CliError} `usage` if the part is not there.
 */
export async function openEngine(
  input: Input<EngineFlags>,
  part: StoredPart,
  { pepper, engines }: { readonly pepper?: string | undefined; readonly engines?: string } = {},
): Promise<OpenEngine> {
  const { flags, io } = input;
  const { engine: name, address } = storeAddress(input, engines);
  const { notOf, place, open } = STORE_ENGINES[name];
  const other = notOf.find((flag) => flags[flag] !== undefined);
  if (other !== undefined) {
    throw usageError(`--${other} does not go with --store ${name}:...`);
  }
  // Of the project in which the command runs.
  if (part === "inbox" && name === "redis") loadFromProject(io, "bullmq");
  const secret = pepper === undefined ? {} : { pepper };
  const opened = await open(address, input, secret);
  try {
    const found = await opened.engine.stored(part, flags.queue).catch((error: unknown) => {
      if (name !== "sqlite") throw error;
      throw usageError(`--store: cannot read ${address}: ${describeError(error)}.`);
    });
    if (found === undefined) {
      const where = place(address, flags, part);
      throw usageError(`${NOTHING[part]} in ${where}. Check the address and the name.`);
    }
    const queue = flags.queue === undefined ? {} : { queue: flags.queue };
    return { ...opened, settings: { ...found, ...queue } };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
