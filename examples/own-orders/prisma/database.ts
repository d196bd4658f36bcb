import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import type { Transact } from "malipo/mysql";
import { type Prisma, PrismaClient } from "./client/client.ts";

export const { DATABASE_URL = "" } = process.env;
export const prisma = new PrismaClient({
  adapter: new PrismaMariaDb(DATABASE_URL),
  // What MariaDB needs for a transaction in which malipo writes.
  transactionOptions: { isolationLevel: "ReadCommitted" },
});

// Of node_modules/malipo/examples/executors.ts.
export const ofPrisma = (tx: Prisma.TransactionClient) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: await tx.$queryRawUnsafe<object[]>(text, ...values),
  }),
});
export const transact: Transact<Prisma.TransactionClient> = (run) =>
  prisma.$transaction((tx) => run(tx, ofPrisma(tx)));
