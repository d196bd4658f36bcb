// The libraries with which users write to MariaDB and MySQL, each with the executor that the manual prints for it. Each
// has options that change what its queries return.
import { IsolationLevel } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/mariadb";
import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle as openDrizzle } from "drizzle-orm/mysql2";
import openKnex from "knex";
import { CamelCasePlugin, Kysely, sql as kyselySql, MysqlDialect, type Transaction } from "kysely";
import { createPool, type PoolOptions } from "mysql2";
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
} from "../../../examples/mysql-executors.ts";
import { insertion, type Orm, type Orms, type PrismaTransaction, prismaClient } from "./orm.ts";

/** Numbers, dates and times come in another way than by default. */
const ODD = {
  supportBigNumbers: true,
  bigNumberStrings: true,
  decimalNumbers: true,
  dateStrings: true,
  timezone: "+03:00",
} satisfies PoolOptions;

function poolOf(uri: string) {
  const pool = createPool({ uri, ...ODD });
  // A connection that is lost is no failure of a test.
  pool.on("connection", (connection) => connection.on("error", () => {}));
  return pool;
}

function prisma(url: string): Orm {
  const client = prismaClient("mysql", new PrismaMariaDb(url));
  return {
    transact: (run) =>
      client.$transaction((tx) => run(tx, ofPrisma(tx)), { isolationLevel: "ReadCommitted" }),
    write: (tx, table, column, effect) =>
      (tx as PrismaTransaction).$executeRawUnsafe(insertion(table, column, "?"), effect),
    run: (tx, text) => (tx as PrismaTransaction).$executeRawUnsafe(text),
    close: () => client.$disconnect(),
  };
}

function drizzle(url: string): Orm {
  const pool = poolOf(url);
  const db = openDrizzle(pool.promise());
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  return {
    transact: (run) =>
      db.transaction((tx) => run(tx, ofDrizzle(tx)), { isolationLevel: "read committed" }),
    write: async (tx, table, column, effect) =>
      (tx as Tx).execute(
        drizzleSql`INSERT INTO ${drizzleSql.raw(table)} (${drizzleSql.raw(column)}) VALUES (${effect})`,
      ),
    run: async (tx, text) => (tx as Tx).execute(drizzleSql.raw(text)),
    close: () => pool.promise().end(),
  };
}

function kysely(url: string): Orm {
  const db = new Kysely<Record<string, Record<string, string>>>({
    dialect: new MysqlDialect({ pool: poolOf(url) }),
    plugins: [new CamelCasePlugin()],
  });
  type Trx = Transaction<Record<string, Record<string, string>>>;
  return {
    transact: (run) =>
      db
        .transaction()
        .setIsolationLevel("read committed")
        .execute((trx) => run(trx, ofKysely(trx))),
    write: (trx, table, column, effect) =>
      (trx as Trx)
        .insertInto(table)
        .values({ [column]: effect })
        .execute(),
    run: (trx, text) => kyselySql.raw(text).execute(trx as Trx),
    close: () => db.destroy(),
  };
}

function knex(uri: string): Orm {
  const db = openKnex({ client: "mysql2", connection: { uri, ...ODD } });
  return {
    transact: (run) =>
      db.transaction((trx) => run(trx, ofKnex(trx)), { isolationLevel: "read committed" }),
    write: async (trx, table, column, effect) =>
      (trx as typeof db)(table).insert({ [column]: effect }),
    run: async (trx, text) => (trx as typeof db).raw(text),
    close: () => db.destroy(),
  };
}

function typeorm(url: string): Orm {
  const source = new DataSource({ type: "mariadb", url, ...ODD });
  // A data source is opened once, before its first use.
  let opening: Promise<unknown> | undefined;
  return {
    transact: async (run) => {
      opening ??= source.initialize();
      await opening;
      return source.transaction("READ COMMITTED", (manager) => run(manager, ofTypeOrm(manager)));
    },
    write: (manager, table, column, effect) =>
      (manager as EntityManager).query(insertion(table, column, "?"), [effect]),
    run: (manager, text) => (manager as EntityManager).query(text),
    close: () => source.destroy(),
  };
}

function mikroorm(clientUrl: string): Orm {
  const orm = new MikroORM({ clientUrl, entities: [], discovery: { warnWhenNoEntities: false } });
  type Em = typeof orm.em;
  return {
    transact: (run) =>
      orm.em.transactional((em) => run(em, ofMikroOrm(em)), {
        isolationLevel: IsolationLevel.READ_COMMITTED,
        propagation: "requires_new",
      }),
    write: (em, table, column, effect) =>
      (em as Em).execute(insertion(table, column, "?"), [effect]),
    run: (em, text) => (em as Em).execute(text),
    close: () => orm.close(),
  };
}

function sequelize(url: string): Orm {
  const db = new Sequelize(url, {
    logging: false,
    timezone: "+03:00",
    dialectOptions: { flags: "FOUND_ROWS" },
  });
  return {
    transact: (run) =>
      db.transaction({ isolationLevel: "READ COMMITTED" as never }, (tx) =>
        run(tx, ofSequelize(db, tx)),
      ),
    write: (tx, table, column, effect) =>
      db.getQueryInterface().bulkInsert(table, [{ [column]: effect }], {
        transaction: tx as SequelizeTransaction,
      }),
    run: (tx, text) => db.query(text, { transaction: tx as SequelizeTransaction }),
    close: () => db.close(),
  };
}

export const MYSQL_ORMS: Orms = { prisma, drizzle, kysely, knex, typeorm, mikroorm, sequelize };
