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

type Opener = (
  address: string,
  input: Input<EngineFlags>,
  pepper: { readonly pepper?: string },
) => Promise<Pick<OpenEngine, "engine" | "close">>;

const OPENERS: Readonly<Record<StoreAddress["engine"], Opener>> = {
  sqlite: async (path, _, pepper) => {
    const { sqlite } = await import("../../engines/sqlite.ts");
    const engine = sqlite(path, pepper);
    return { engine: engine as AnyEngine, close: () => engine.close() };
  },
  redis: async (url, { flags: { prefix }, io }, pepper) => {
    const client = connectRedis(io, url);
    const { redis } = await import("../../engines/redis.ts");
    const onWarning = (text: string) => printError(io, text);
    const engine = redis(client, { ...pepper, prefix, onWarning });
    const close = async () => {
      await engine.close();
      client.disconnect();
    };
    return { engine, close };
  },
  postgres: async (url, { flags: { schema }, io }, pepper) => {
    const pool = connectPostgres(io, url);
    const { postgres } = await import("../../engines/postgres.ts");
    const engine = postgres(pool, { ...pepper, schema });
    const close = async () => {
      await engine.close();
      await pool.end();
    };
    return { engine: engine as AnyEngine, close };
  },
  mysql: async (url, { io }, pepper) => {
    const pool = connectMysql(io, url);
    const { mysql } = await import("../../engines/mysql.ts");
    const engine = mysql(pool, pepper);
    const close = async () => {
      await engine.close();
      await pool.end();
    };
    return { engine: engine as AnyEngine, close };
  },
};

const NOT_OF: Readonly<Record<StoreAddress["engine"], readonly ("queue" | "schema" | "prefix")[]>> =
  {
    sqlite: ["queue", "schema", "prefix"],
    redis: ["schema"],
    postgres: ["queue", "prefix"],
    mysql: ["queue", "schema", "prefix"],
  };

const NOTHING: Readonly<Record<StoredPart, string>> = {
  idempotency: "There are no idempotency keys",
  inbox: "There is no inbox",
  checkout: "There are no orders of a checkout",
};

/** Where a part is looked for, in words. */
function placeOf(
  { engine, address }: StoreAddress,
  { queue, schema = "malipo_checkout" }: EngineFlags,
  part: StoredPart,
): string {
  if (engine === "sqlite") return address;
  if (engine === "mysql") return "this database";
  if (engine === "postgres") return `the schema ${schema} of this PostgreSQL`;
  return part === "inbox" ? `the queue ${queue ?? "malipo-webhooks"} of this Redis` : "this Redis";
}

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
  const address = storeAddress(input, engines);
  const other = NOT_OF[address.engine].find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    throw usageError(`--${other} does not go with --store ${address.engine}:...`);
  }
  // Of the project in which the command runs.
  if (part === "inbox" && address.engine === "redis") loadFromProject(io, "bullmq");
  const secret = pepper === undefined ? {} : { pepper };
  const opened = await OPENERS[address.engine](address.address, input, secret);
  try {
    const found = await opened.engine.stored(part, flags.queue).catch((error: unknown) => {
      if (address.engine !== "sqlite") throw error;
      throw usageError(`--store: cannot read ${address.address}: ${describeError(error)}.`);
    });
    if (found === undefined) {
      const place = placeOf(address, flags, part);
      throw usageError(`${NOTHING[part]} in ${place}. Check the address and the name.`);
    }
    const queue = flags.queue === undefined ? {} : { queue: flags.queue };
    return { ...opened, settings: { ...found, ...queue } };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
