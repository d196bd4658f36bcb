/** What runs a statement on the connection of a transaction: pg-boss has it for Prisma and others. */
export interface SqlExecutor {
  /** Runs one statement with the values of `$1`, `$2` and so on. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs something in a transaction of your client. `client` is what `transaction` passes on. */
export type Transact<Client = unknown> = <Result>(
  run: (client: Client, db: SqlExecutor) => Promise<Result>,
) => Promise<Result>;
