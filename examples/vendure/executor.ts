import type { EntityManager } from "typeorm";

// Of node_modules/malipo/examples/executors.ts.
export const ofTypeOrm = ({ queryRunner }: EntityManager) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    // With `true`, it returns `{ records }` for an UPDATE, too.
    rows: (await queryRunner?.query(text, values, true))?.records ?? [],
  }),
});
