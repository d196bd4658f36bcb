import mysql from "mysql2/promise";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ConnectionError } from "../../errors/connection.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { EngineAwayError } from "../engine-away.ts";
import { engineClosed } from "../transaction-end.ts";
import { explained } from "./mysql-advice.ts";

/** The function of malipo that the user called. */
export const OWNER = "mysql";

/** How long a call waits for a connection while all are in use, also of a pool of the user. A customer waits, too. */
const QUEUE_MS = 25_000;
/** How long a new connection may take: a server that does not respond is noticed sooner. */
const CONNECT_MS = 5_000;
/** The default of mysql2. */
const CONNECTIONS = 10;

export const noReply = (): Error => new EngineAwayError("The MySQL server does not reply.");

/** Where a database is: an address, or a pool of the user. */
export type MysqlSource = string | mysql.Pool | { promise(): mysql.Pool };

/** The pool of the user, or one that is made for an address. @throws {ConfigurationError} */
export function poolFor(given: MysqlSource): mysql.Pool {
  if (typeof given === "string" && /^(?:mysql|mariadb):\/\//.test(given)) {
    try {
      return mysql.createPool({
        uri: given,
        charset: "utf8mb4",
        connectTimeout: CONNECT_MS,
        connectionLimit: CONNECTIONS,
      });
    } catch (error) {
      // An invalid URL is an error that holds the address, with its password.
      const { code, message } = error as NodeJS.ErrnoException;
      throw explained("use this address", Object.assign(new Error(message), { code }));
    }
  }
  const { promise, getConnection } = Object(given);
  // A pool of "mysql2", for callbacks, has one for promises.
  if (typeof promise === "function") return (given as { promise(): mysql.Pool }).promise();
  if (typeof getConnection === "function") return given as mysql.Pool;
  throw new ConfigurationError(
    `${OWNER} takes the address of a database, such as "mysql://localhost/shop", or a pool of mysql2.`,
  );
}

/** How many connections a pool makes at most. */
export const sizeOf = ({ pool }: mysql.Pool): number =>
  pool?.config?.connectionLimit || CONNECTIONS;

/** @param isBroken - Whether what is left on it is not known. */
export function giveBack(connection: mysql.PoolConnection, isBroken: boolean): void {
  if (isBroken) connection.destroy();
  else connection.release();
}

/**
 * @param waitMs - How long to wait for a connection. Default: as long as a customer does.
 * @throws {ConnectionError} if no connection is free in time.
 */
export async function connectTo(pool: mysql.Pool, waitMs?: number): Promise<mysql.PoolConnection> {
  const connecting = pool.getConnection();
  try {
    if (await waitAtMost(connecting, waitMs ?? QUEUE_MS + CONNECT_MS)) return await connecting;
  } catch (error) {
    // One of a server or a network has a code.
    if (error instanceof Error && !("code" in error) && /closed/.test(error.message)) {
      throw engineClosed();
    }
    throw error;
  }
  connecting.then(
    (late) => late.release(),
    () => {},
  );
  if (waitMs !== undefined) throw noReply();
  const most = (QUEUE_MS + CONNECT_MS) / 1_000;
  throw new ConnectionError(
    `${OWNER}: the pool has ${sizeOf(pool)} connections, and none was free within ${most} s. Pass a pool with a higher \`connectionLimit\`, and look for transactions that stay open. This call did nothing.`,
    "not_sent",
  );
}
