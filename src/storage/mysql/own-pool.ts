import type mysql from "mysql2/promise";
import type { ConnectionPool } from "../connections.ts";
import { connectTo, giveBack, noReply, poolFor, sizeOf } from "./pool.ts";

/** How long connections stay open that nobody uses. A container has ten seconds to end after SIGTERM. */
const REST_MS = 5_000;

/**
 * A pool that malipo has made. A socket keeps its process: a shop that has stopped, and did not call `close()`, would
 * never end. mysql2 has no `allowExitOnIdle`, and its own limit for idle connections is a timer that keeps the
 * process, too. See https://sidorares.github.io/node-mysql2/docs/examples/connections/create-pool
 *
 * A server that is frozen keeps the process all the same: mysql2 waits for its end of the connection.
 */
export class OwnPool implements ConnectionPool<mysql.PoolConnection> {
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
