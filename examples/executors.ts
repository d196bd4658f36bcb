// How malipo runs a statement in a transaction of your library, for `postgres(url, { transact })`. Copy the
// function of your library. In `text`, a value is `$1`, `$2` and so on, and may occur twice.
import { sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Knex } from "knex";
import { CompiledQuery, type Transaction } from "kysely";
import { QueryTypes, type Sequelize, type Transaction as SequelizeTransaction } from "sequelize";
import type { EntityManager } from "typeorm";

/** The part of `Prisma.TransactionClient` that is used here. */
interface PrismaTransaction {
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): PromiseLike<Rows>;
}

/** `transact: (run) => prisma.$transaction((tx) => run(tx, ofPrisma(tx)))` */
export const ofPrisma = (tx: PrismaTransaction) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: await tx.$queryRawUnsafe<object[]>(text, ...values),
  }),
});

/** `transact: (run) => drizzle.transaction((tx) => run(tx, ofDrizzle(tx)))` */
export const ofDrizzle = (tx: Pick<NodePgDatabase, "execute">) => ({
  executeSql: (text: string, values: unknown[] = []) => {
    const parts = text.split(/\$(\d+)/); // each second one is the number of a value
    return tx.execute(
      sql.join(parts.map((part, at) => (at % 2 ? sql.param(values[+part - 1]) : sql.raw(part)))),
    );
  },
});

/** `transact: (run) => kysely.transaction().execute((trx) => run(trx, ofKysely(trx)))` */
export const ofKysely = <Tables>(trx: Transaction<Tables>) => ({
  executeSql: (text: string, values: unknown[] = []) =>
    trx.withoutPlugins().executeQuery<object>(CompiledQuery.raw(text, values)),
});

/** `transact: (run) => knex.transaction((trx) => run(trx, ofKnex(trx)))` */
export const ofKnex = (trx: Knex.Transaction) => ({
  executeSql: async (text: string, values: unknown[] = []): Promise<{ rows: object[] }> => {
    const numbers = Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
    const given = numbers.map((number) => values[number - 1] as Knex.Value);
    return trx.raw(text.replaceAll("?", "\\?").replaceAll(/\$\d+/g, "?"), given);
  },
});

/** `transact: (run) => source.transaction((manager) => run(manager, ofTypeOrm(manager)))` */
export const ofTypeOrm = ({ queryRunner }: EntityManager) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    // With `true`, it returns `{ records }` for an UPDATE, too.
    rows: (await queryRunner?.query(text, values, true))?.records ?? [],
  }),
});

/** The part of `EntityManager` that is used here. */
interface MikroOrmManager {
  execute(text: string, values: unknown[]): Promise<unknown>;
}

/** `transact: (run) => orm.em.transactional((em) => run(em, ofMikroOrm(em)), { propagation: "requires_new" })` */
export const ofMikroOrm = (em: MikroOrmManager) => ({
  executeSql: async (text: string, values: unknown[] = []) => {
    const numbers = Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
    const given = numbers.map((number) => values[number - 1]);
    return { rows: (await em.execute(text.replaceAll(/\$\d+/g, "?"), given)) as object[] };
  },
});

/** `transact: (run) => sequelize.transaction((tx) => run(tx, ofSequelize(sequelize, tx)))` */
export const ofSequelize = (sequelize: Sequelize, transaction: SequelizeTransaction) => ({
  executeSql: async (text: string, bind: unknown[] = []) => ({
    rows: await sequelize.query<object>(text, { bind, transaction, type: QueryTypes.SELECT }),
  }),
});
