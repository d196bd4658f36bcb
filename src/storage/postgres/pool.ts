import pg from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ConnectionError } from "../../errors/connection.ts";
import { describeError } from "../../internal/describe-error.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { EngineAwayError } from "../engine-away.ts";
import { engineClosed } from "../transaction-end.ts";

/** The function of malipo that the user called. */
export const OWNER = "postgres";

/** How long a call waits for a connection while all are in use, also of a pool of the user. A customer waits, too. */
const QUEUE_MS = 25_000;
/** How long a new connection may take: a PostgreSQL that does not respond is noticed sooner. */
const CONNECT_MS = 5_000;

class OwnClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

function noConnection({ totalCount }: pg.Pool, waitedMs: number, cause: Error): ConnectionError {
  const [all, none] =
    totalCount === 1 ? ["1 connection", "it was not"] : [`${totalCount} connections`, "none was"];
  const message =
    totalCount === 0
      ? `PostgreSQL accepted no connection (${describeError(cause)}). See whether it is up and takes more connections.`
      : `The pool has ${all} to PostgreSQL, and ${none} free within ${Math.round(waitedMs / 1_000)} s. Pass \`pool\` with a higher \`max\`, and look for transactions that stay open.`;
  return new ConnectionError(`${OWNER}: ${message} This call did nothing.`, "not_sent", { cause });
}

export const noReply = (): Error => new EngineAwayError("PostgreSQL does not reply.");

/** The pool of the user, or one that is made for an address. @throws {ConfigurationError} */
export function poolFor(connectionString: string | undefined, pool: pg.Pool | undefined): pg.Pool {
  if ((connectionString === undefined) === (pool === undefined)) {
    throw new ConfigurationError(
      `${OWNER} takes the address of a database, such as "postgres://localhost/shop", or a pool of pg.`,
    );
  }
  if (pool !== undefined) return pool;
  const own = new pg.Pool({
    connectionString,
    application_name: "malipo",
    connectionTimeoutMillis: QUEUE_MS,
    Client: OwnClient,
    allowExitOnIdle: true,
  });
  // An error of an idle connection would end the process. The next statement reports it.
  own.on("error", () => {});
  // So would that of a connection that ends while it is handed over: nothing else listens for a moment.
  own.on("connect", (client) => client.on("error", () => {}));
  return own;
}

/**
 * @param waitMs - How long to wait for a connection. Default: as long as a customer does.
 * @throws {ConnectionError} if no connection is free in time, or none can be made.
 */
export async function connectTo(pool: pg.Pool, waitMs?: number): Promise<pg.PoolClient> {
  if (pool.ending) throw engineClosed();
  const since = performance.now();
  const connecting = pool.connect();
  try {
    // A pool of the user may have no limit: `onPaid` that waits for a second connection would wait for itself.
    if (await waitAtMost(connecting, waitMs ?? QUEUE_MS + CONNECT_MS)) return await connecting;
  } catch (error) {
    if (pool.ending) throw engineClosed();
    // One with a code says what is wrong, such as ECONNREFUSED.
    if (!(error instanceof Error) || "code" in error) throw error;
    throw noConnection(pool, performance.now() - since, error);
  }
  connecting.then(
    (late) => late.release(),
    () => {},
  );
  if (waitMs !== undefined) throw noReply();
  throw noConnection(pool, performance.now() - since, new Error("The pool did not respond."));
}
