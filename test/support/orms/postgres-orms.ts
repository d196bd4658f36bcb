// The libraries with which users write to PostgreSQL, each with the executor that the manual prints for it.
import { MikroORM } from "@mikro-orm/postgresql";
import { PrismaPg } from "@prisma/adapter-pg";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle as openDrizzle } from "drizzle-orm/node-postgres";
import openKnex from "knex";
import {
  CamelCasePlugin,
  Kysely,
  sql as kyselySql,
  PostgresDialect,
  type Transaction,
} from "kysely";
import { Pool } from "pg";
import { Sequelize, type Transaction as SequelizeTransaction } from "sequelize";
import { DataSource, type EntityManager } from "typeorm";
import {
  ofDrizzle,
  ofKnex,
  ofKysely,
  ofMikroOrm,
  ofPrisma,
  ofSequelize,
  ofTypeOrm,
} from "../../../examples/executors.ts";
import { insertion, type Orm, type Orms, type PrismaTransaction, prismaClient } from "./orm.ts";

/** A pool of pg whose lost connections end no process: neither idle ones nor those in a transaction. */
function poolOf(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

function prisma(connectionString: string): Orm {
  const client = prismaClient("postgresql", new PrismaPg({ connectionString }));
  return {
    transact: (run) => client.$transaction((tx) => run(tx, ofPrisma(tx))),
    write: (tx, table, column, effect) =>
      (tx as PrismaTransaction).$executeRawUnsafe(insertion(table, column, "$1"), effect),
    run: (tx, text) => (tx as PrismaTransaction).$executeRawUnsafe(text),
    close: () => client.$disconnect(),
  };
}

function drizzle(connectionString: string): Orm {
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
}

function kysely(connectionString: string): Orm {
  const db = new Kysely<Record<string, Record<string, string>>>({
    dialect: new PostgresDialect({ pool: poolOf(connectionString) }),
    plugins: [new CamelCasePlugin()],
  });
  type Trx = Transaction<Record<string, Record<string, string>>>;
  return {
    transact: (run) => db.transaction().execute((trx) => run(trx, ofKysely(trx))),
    write: (trx, table, column, effect) =>
      (trx as Trx)
        .insertInto(table)
        .values({ [column]: effect })
        .execute(),
    run: (trx, text) => kyselySql.raw(text).execute(trx as Trx),
    close: () => db.destroy(),
  };
}

function knex(connection: string): Orm {
  const db = openKnex({ client: "pg", connection });
  return {
    transact: (run) => db.transaction((trx) => run(trx, ofKnex(trx))),
    write: async (trx, table, column, effect) =>
      (trx as typeof db)(table).insert({ [column]: effect }),
    run: async (trx, text) => (trx as typeof db).raw(text),
    close: () => db.destroy(),
  };
}

function typeorm(url: string): Orm {
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
      (manager as EntityManager).query(insertion(table, column, "$1"), [effect]),
    run: (manager, text) => (manager as EntityManager).query(text),
    close: () => source.destroy(),
  };
}

function mikroorm(clientUrl: string): Orm {
  const orm = new MikroORM({ clientUrl, entities: [], discovery: { warnWhenNoEntities: false } });
  type Em = typeof orm.em;
  return {
    transact: (run) =>
      orm.em.transactional((em) => run(em, ofMikroOrm(em)), { propagation: "requires_new" }),
    write: (em, table, column, effect) =>
      (em as Em).execute(insertion(table, column, "?"), [effect]),
    run: (em, text) => (em as Em).execute(text),
    close: () => orm.close(),
  };
}

function sequelize(url: string): Orm {
  const db = new Sequelize(url, { logging: false });
  return {
    transact: (run) => db.transaction((tx) => run(tx, ofSequelize(db, tx))),
    write: (tx, table, column, effect) =>
      db.getQueryInterface().bulkInsert(table, [{ [column]: effect }], {
        transaction: tx as SequelizeTransaction,
      }),
    run: (tx, text) => db.query(text, { transaction: tx as SequelizeTransaction }),
    close: () => db.close(),
  };
}

export const POSTGRES_ORMS: Orms = { prisma, drizzle, kysely, knex, typeorm, mikroorm, sequelize };
