/**
 * Wake-ups for machines that share a PostgreSQL.
 *
 * @module malipo/wakeups/postgres
 */

import type { Notification, Pool, PoolClient } from "pg";
import { checkText, ownOptions } from "../../../internal/check-options.ts";
import { createWakeups, type Wakeups } from "./local.ts";

/** Wake-ups over PostgreSQL. */
export interface PostgresWakeups extends Wakeups {
  /** Returns the listening connection to its pool. Call it before you end the pools. */
  close(): Promise<void>;
}

/** The connections that wake-ups over PostgreSQL need. */
export interface PostgresWakeupPools {
  /** A `pg` pool. It may be one that you use for other queries too. */
  readonly pool: Pick<Pool, "query" | "connect">;
  /**
   * The pool that the one listening connection is taken from, for good. Set it if `pool` goes
   * through PgBouncer in transaction mode, which cannot listen: a pool that goes straight to the
   * database, with `max: 1`.
   *
   * @default `pool`
   */
  readonly listenPool?: Pick<Pool, "connect"> | undefined;
}

/** How wake-ups go over PostgreSQL. */
export interface PostgresWakeupOptions {
  /**
   * The channel of LISTEN and NOTIFY: lower-case letters, digits and underscores, 63 at most. Set it
   * if two applications share a database.
   *
   * @default "malipo_wakeups"
   */
  channel?: string | undefined;
}

const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 5_000;

/** PostgreSQL takes less than 8,000 bytes. https://www.postgresql.org/docs/current/sql-notify.html */
const MAX_PAYLOAD_BYTES = 7_999;

/** One connection that listens, and another one as soon as it is lost. */
class Listener {
  readonly #pool: Pick<Pool, "connect">;
  readonly #channel: string;
  readonly #onReference: (reference: string) => void;
  #release: (() => void) | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(
    pool: Pick<Pool, "connect">,
    channel: string,
    onReference: (reference: string) => void,
  ) {
    this.#pool = pool;
    this.#channel = channel;
    this.#onReference = onReference;
  }

  connect(): void {
    // With a callback, which runs at once: a connection without an `error` listener ends the process
    // when it is lost.
    this.#pool.connect((error, client) => {
      if (client === undefined || error !== undefined) this.#reconnect();
      else this.#listen(client);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#release?.();
  }

  #listen(client: PoolClient): void {
    const onNotification = ({ channel, payload }: Notification) => {
      if (channel === this.#channel) this.#onReference(payload ?? "");
    };
    const release = () => {
      if (this.#release !== release) return;
      this.#release = undefined;
      client.off("notification", onNotification);
      // It listens, so it is not for other queries: the pool closes it. Its errors go on being heard.
      client.release(true);
    };
    const onLost = () => {
      // An error is followed by an end.
      if (this.#release !== release) return;
      release();
      this.#reconnect();
    };
    this.#release = release;
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("notification", onNotification);
    if (this.#isClosed) {
      release();
      return;
    }
    client.query(`LISTEN "${this.#channel}"`).then(() => {
      this.#failures = 0;
    }, onLost);
  }

  #reconnect(): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    const delayMs = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** this.#failures);
    this.#failures++;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.connect();
    }, delayMs);
  }
}

/**
 * Wake-ups between machines, over LISTEN and NOTIFY of PostgreSQL: a webhook that arrives at one ends
 * a wait at another with the next read. They are only hints: a lost notification makes a wait some
 * seconds longer, and loses no payment. A reference of 8,000 bytes or more is not sent.
 *
 * It keeps one connection to listen, and makes a new one when that is lost.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { postgresWakeups } from "malipo/wakeups/postgres";
 * import pg from "pg";
 *
 * const wakeups = postgresWakeups({ pool: new pg.Pool() });
 * const payment = await gateway.payments.waitFor(reference, { wake: wakeups.wake });
 * ```
 */
export function postgresWakeups(
  { pool, listenPool = pool }: PostgresWakeupPools,
  options: PostgresWakeupOptions = {},
): PostgresWakeups {
  const own = ownOptions(options, ["channel"], "postgresWakeups");
  const channel = checkText(
    "channel",
    own.channel ?? "malipo_wakeups",
    /^[a-z_][a-z0-9_]{0,62}$/,
    "1 to 63 lower-case letters, digits and underscores, and not begin with a digit",
  );
  const local = createWakeups();
  const listener = new Listener(listenPool, channel, local.notify);
  listener.connect();
  return {
    wake: local.wake,
    notify: (reference) => {
      if (new TextEncoder().encode(reference).length > MAX_PAYLOAD_BYTES) return;
      // Without PostgreSQL there are no hints, but the reads still come: no reason to fail anything.
      pool.query("SELECT pg_notify($1, $2)", [channel, reference]).catch(() => {});
    },
    close: async () => listener.close(),
  };
}
