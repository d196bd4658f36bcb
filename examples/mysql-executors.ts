// How malipo runs a statement in a transaction of your library, for `mysql(url, { transact })`. Copy the function of your
// library. In `text`, each `?` is the next of the values. Begin your transactions with READ COMMITTED.
import { sql } from "drizzle-orm";
import type { MySql2Database } from "drizzle-orm/mysql2";
import type { Knex } from "knex";
import type { Sequelize, Transaction } from "sequelize";

// The same as on PostgreSQL.
export { ofKysely, ofPrisma, ofTypeOrm } from "./executors.ts";

/** `transact: (run) => drizzle.transaction((tx) => run(tx, ofDrizzle(tx)), { isolationLevel: "read committed" })` */
export const ofDrizzle = (tx: Pick<MySql2Database, "execute">) => ({
  executeSql: async (text: string, values: unknown[] = []) => {
    const [first = "", ...rest] = text.split("?");
    const parts = rest.flatMap((part, at) => [sql.param(values[at]), sql.raw(part)]);
    const [rows] = await tx.execute(sql.join([sql.raw(first), ...parts]));
    return { rows: rows as unknown as object[] };
  },
});

/** `transact: (run) => knex.transaction((trx) => run(trx, ofKnex(trx)), { isolationLevel: "read committed" })` */
export const ofKnex = (trx: Knex.Transaction) => ({
  executeSql: async (text: string, values: unknown[] = []): Promise<{ rows: object[] }> => {
    const [rows] = await trx.raw(text, values as Knex.Value[]);
    return { rows };
  },
});

/** The part of `EntityManager` that is used here. */
interface MikroOrmManager {
  execute(text: string, values: unknown[]): Promise<unknown>;
}

/** `transact: (run) => orm.em.transactional((em) => run(em, ofMikroOrm(em)), { propagation: "requires_new", isolationLevel: IsolationLevel.READ_COMMITTED })` */
export const ofMikroOrm = (em: MikroOrmManager) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: (await em.execute(text, values)) as object[],
  }),
});

/** `transact: (run) => sequelize.transaction({ isolationLevel: "READ COMMITTED" }, (tx) => run(tx, ofSequelize(sequelize, tx)))` */
export const ofSequelize = (sequelize: Sequelize, transaction: Transaction) => ({
  executeSql: async (text: string, replacements: unknown[] = []) => {
    const [rows] = await sequelize.query(text, { replacements, transaction });
    return { rows: rows as object[] };
  },
});
