import mysql from "mysql2/promise";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ConnectionError } from "../../errors/connection.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import type { ConnectionPool } from "../connections.ts";
import { EngineAwayError } from "../engine-away.ts";
import { engineClosed, LeftOpenError } from "../transaction-end.ts";
import { explained } from "./mysql-advice.ts";

/** The function of malipo that the user called. */
export const OWNER = "mysql";

/** How long a call waits for a connection while all are in use, also of a pool of the user. A customer waits, too. */
const QUEUE_MS = 25_000;
/** How long a new connection may take: a server that does not respond is noticed sooner. */
const CONNECT_MS = 5_000;
/** The default of mysql2. */
const CONNECTIONS = 10;
/** How long connections that are not in use stay open. A container has ten seconds to end after SIGTERM. */
const REST_MS = 5_000;

const noReply = (): Error => new EngineAwayError("The MySQL server does not reply.");

/** Where a database is: an address, or a pool of the user. */
export type MysqlSource = string | mysql.Pool | { promise(): mysql.Pool };

/** The pool of the user, or one that is made for an address. @throws {ConfigurationError} */
function poolFor(given: MysqlSource): mysql.Pool {
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
const sizeOf = ({ pool }: mysql.Pool): number => pool?.config?.connectionLimit || CONNECTIONS;

/** @param isBroken - Whether what is left on it is not known. */
function giveBack(connection: mysql.PoolConnection, isBroken: boolean): void {
  if (isBroken) connection.destroy();
  else connection.release();
}

/**
 * @param waitMs - How long to wait for a connection. Default: as long as a customer does.
 * @throws {ConnectionError} if no connection is free in time.
 */
async function connectTo(pool: mysql.Pool, waitMs?: number): Promise<mysql.PoolConnection> {
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

// https://dev.mysql.com/doc/dev/mysql-server/latest/mysql__com_8h.html
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/** @throws {LeftOpenError} if what is written on a connection is not committed by itself. */
async function checkIdle(connection: mysql.PoolConnection): Promise<void> {
  const [{ serverStatus }] = await connection.query<mysql.ResultSetHeader>("DO 0");
  if ((serverStatus & (IN_TRANSACTION | AUTOCOMMIT)) !== AUTOCOMMIT) throw new LeftOpenError();
}

/** A pool of the user, which stays open. */
function poolOfUser(source: Exclude<MysqlSource, string>): ConnectionPool<mysql.PoolConnection> {
  const pool = poolFor(source);
  return {
    ...{ size: sizeOf(pool), connect: (waitMs) => connectTo(pool, waitMs) },
    ...{ checkIdle, release: giveBack, noReply },
  };
}

/**
 * A pool that malipo has made. A socket keeps its process: a shop that has stopped, and did not call `close()`, would
 * never end. mysql2 has no `allowExitOnIdle`, and its own limit for idle connections is a timer that keeps the
 * process, too. See https://sidorares.github.io/node-mysql2/docs/examples/connections/create-pool
 *
 * A server that is frozen keeps the process all the same: mysql2 waits for its end of the connection.
 */
class OwnPool implements ConnectionPool<mysql.PoolConnection> {
  readonly size: number;
  readonly noReply = noReply;
  readonly #address: string;
  #pool: mysql.Pool;
  #inUse = 0;
  #resting: NodeJS.Timeout | undefined;

  /** @throws {ConfigurationError} for an address that is none. */
  constructor(address: string) {
    this.#address = address;
    this.#pool = poolFor(address);
    this.size = sizeOf(this.#pool);
  }

  async connect(waitMs: number | undefined): Promise<mysql.PoolConnection> {
    clearTimeout(this.#resting);
    this.#inUse++;
    try {
      return await connectTo(this.#pool, waitMs);
    } catch (error) {
      this.#returned();
      throw error;
    }
  }

  /** Nobody else has used it, and to ask is a round trip. */
  async checkIdle(): Promise<void> {}

  release(connection: mysql.PoolConnection, isBroken: boolean): void {
    giveBack(connection, isBroken);
    this.#returned();
  }

  end(): Promise<void> {
    clearTimeout(this.#resting);
    return this.#pool.end();
  }

  #returned(): void {
    this.#inUse--;
    if (this.#inUse === 0) this.#resting = setTimeout(() => this.#rest(), REST_MS).unref();
  }

  /** The next call opens connections again. */
  #rest(): void {
    const former = this.#pool;
    this.#pool = poolFor(this.#address);
    // It rejects for a connection that was lost: that one needs no end.
    former.end().catch(() => {});
  }
}

/** The connections to a database. @throws {ConfigurationError} for an address that is none. */
export const connectionsOf = (source: MysqlSource): ConnectionPool<mysql.PoolConnection> =>
  typeof source === "string" ? new OwnPool(source) : poolOfUser(source);
