import type { Prisma } from "./client/client.ts";

// Of node_modules/malipo/examples/executors.ts.
export const ofPrisma = (tx: Prisma.TransactionClient) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: await tx.$queryRawUnsafe<object[]>(text, ...values),
  }),
});
