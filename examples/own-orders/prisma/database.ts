import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { PrismaClient } from "./client/client.ts";

export const { DATABASE_URL = "" } = process.env;
export const prisma = new PrismaClient({
  adapter: new PrismaMariaDb(DATABASE_URL),
  // What MariaDB needs for a transaction in which malipo writes.
  transactionOptions: { isolationLevel: "ReadCommitted" },
});
