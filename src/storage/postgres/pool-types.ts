// What we take of `pg`, and pass on. `pg` has no declarations of its own: ours must compile without `@types/pg`.

/** What a query of PostgreSQL returns. */
export interface PostgresResult<Row> {
  rows: Row[];
  /** How many rows were read or written. `null` if the statement has no such number. */
  rowCount: number | null;
}

/** What runs a query: a client or a pool of `pg`. */
export interface PostgresClient {
  /** Runs one statement with the values of `$1`, `$2` and so on. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<PostgresResult<Row>>;
}

/**
 * A pool of `pg`. It has both ways to call `connect`, in the order of `@types/pg`: only so does the compiler read
 * `Client` from a pool.
 */
export interface PostgresPool<Client extends PostgresClient = PostgresClient>
  extends PostgresClient {
  /** Takes a client of the pool. */
  connect(): Promise<Client>;
  /** Takes a client of the pool, with a callback. */
  connect(
    callback: (
      error: Error | undefined,
      client: Client | undefined,
      release: (error?: Error | boolean) => void,
    ) => void,
  ): void;
}
