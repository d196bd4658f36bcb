// The libraries with which users write to PostgreSQL, each with the executor that the manual prints for it.
import { PrismaPg } from "@prisma/adapter-pg";
// The runtime takes what `prisma generate` would write, for a schema without models.
import { type GetPrismaClientConfig, getPrismaClient } from "@prisma/client/runtime/client";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle as openDrizzle } from "drizzle-orm/node-postgres";
import openKnex from "knex";
import { Kysely, sql as kyselySql, PostgresDialect, type Transaction } from "kysely";
import type { Transact } from "malipo/postgres";
import { Pool } from "pg";
import { DataSource, type EntityManager } from "typeorm";
import { ofDrizzle, ofKnex, ofKysely, ofPrisma, ofTypeOrm } from "../../examples/executors.ts";

export interface Orm {
  readonly transact: Transact;
  /** Writes an effect with the client that a handler's `transaction` passes on. */
  write(client: unknown, table: string, column: string, effect: string): Promise<unknown>;
  /** Runs a statement without values with that client. */
  run(client: unknown, text: string): Promise<unknown>;
  close(): Promise<unknown>;
}

const COMPILER = "@prisma/client/runtime/query_compiler_fast_bg.postgresql";

const PRISMA: GetPrismaClientConfig = {
  previewFeatures: [],
  clientVersion: "7.10.0",
  engineVersion: "",
  activeProvider: "postgresql",
  inlineSchema:
    'generator client {\n  provider = "prisma-client"\n}\ndatasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: "AAAA" },
  compilerWasm: {
    getRuntime: () => import(`${COMPILER}.mjs`),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = await import(`${COMPILER}.wasm-base64.mjs`);
      return new WebAssembly.Module(Buffer.from(wasm, "base64"));
    },
    importName: "./query_compiler_fast_bg.js",
  },
};

interface PrismaTransaction {
  $queryRawUnsafe<Result>(query: string, ...values: unknown[]): Promise<Result>;
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>;
}
interface Prisma {
  $transaction<Result>(run: (tx: PrismaTransaction) => Promise<Result>): Promise<Result>;
  $disconnect(): Promise<void>;
}

/** A pool of pg whose lost connections end no process: neither idle ones nor those in a transaction. */
function poolOf(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

const insert = (table: string, column: string, value: string) =>
  `INSERT INTO ${table} (${column}) VALUES (${value})`;

export const ORMS = {
  prisma: (connectionString: string): Orm => {
    const Client = getPrismaClient(PRISMA) as unknown as new (options: object) => Prisma;
    const prisma = new Client({ adapter: new PrismaPg({ connectionString }) });
    return {
      transact: (run) => prisma.$transaction((tx) => run(tx, ofPrisma(tx))),
      write: (tx, table, column, effect) =>
        (tx as PrismaTransaction).$executeRawUnsafe(insert(table, column, "$1"), effect),
      run: (tx, text) => (tx as PrismaTransaction).$executeRawUnsafe(text),
      close: () => prisma.$disconnect(),
    };
  },
  drizzle: (connectionString: string): Orm => {
    const pool = poolOf(connectionString);
    const db = openDrizzle(pool);
    type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
    return {
      transact: (run) => db.transaction((tx) => run(tx, ofDrizzle(tx))),
      write: async (tx, table, column, effect) =>
        (tx as Tx).execute(
          drizzleSql`INSERT INTO ${drizzleSql.raw(table)} (${drizzleSql.raw(column)}) VALUES (${effect})`,
        ),
      run: async (tx, text) => (tx as Tx).execute(drizzleSql.raw(text)),
      close: () => pool.end(),
    };
  },
  kysely: (connectionString: string): Orm => {
    const pool = poolOf(connectionString);
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    return {
      transact: (run) => db.transaction().execute((trx) => run(trx, ofKysely(trx))),
      write: (trx, table, column, effect) =>
        kyselySql`INSERT INTO ${kyselySql.raw(table)} (${kyselySql.raw(column)}) VALUES (${effect})`.execute(
          trx as Transaction<unknown>,
        ),
      run: (trx, text) => kyselySql.raw(text).execute(trx as Transaction<unknown>),
      close: () => db.destroy(),
    };
  },
  knex: (connection: string): Orm => {
    const knex = openKnex({ client: "pg", connection });
    return {
      transact: (run) => knex.transaction((trx) => run(trx, ofKnex(trx))),
      write: async (trx, table, column, effect) =>
        (trx as typeof knex).raw(insert(table, column, "?"), [effect]),
      run: async (trx, text) => (trx as typeof knex).raw(text),
      close: () => knex.destroy(),
    };
  },
  typeorm: (url: string): Orm => {
    const source = new DataSource({ type: "postgres", url, poolErrorHandler: () => {} });
    // A data source is opened once, before its first use.
    let opening: Promise<unknown> | undefined;
    return {
      transact: async (run) => {
        opening ??= source.initialize();
        await opening;
        return source.transaction((manager) => run(manager, ofTypeOrm(manager)));
      },
      write: (manager, table, column, effect) =>
        (manager as EntityManager).query(insert(table, column, "$1"), [effect]),
      run: (manager, text) => (manager as EntityManager).query(text),
      close: () => source.destroy(),
    };
  },
} as const satisfies Record<string, (url: string) => Orm>;

export type OrmName = keyof typeof ORMS;
