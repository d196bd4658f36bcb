import type { Notification, PoolClient } from "pg";
import { checkOptions, checkText, type OptionRows } from "../../internal/check-options.ts";
import { encodeText } from "../../internal/utf8.ts";
import type { PostgresPool } from "../../storage/postgres/pool-types.ts";
import { createWakeups, type Wakeups, wakeupsBy } from "./local.ts";

/** Wake-ups over PostgreSQL. */
export interface PostgresWakeups extends Wakeups {
  /** Returns the listening connection to its pool. Call it before you end the pools. */
  close(): Promise<void>;
}

/** The connections that wake-ups over PostgreSQL need. */
export interface PostgresWakeupPools {
  /** A `pg` pool. You may use it for other queries too. */
  readonly pool: PostgresPool;
  /**
   * The pool that the one listening connection is taken from, for good. Set it if `pool` goes
   * through PgBouncer in transaction mode, which cannot listen: a pool that goes straight to the
   * database, with `max: 1`.
   *
   * @default `pool`
   */
  readonly listenPool?: Pick<PostgresPool, "connect"> | undefined;
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

/** Listens on a connection until it is lost or released. Returns what releases it. */
function listenOn(
  client: PoolClient,
  channel: string,
  on: Readonly<Record<"listening" | "lost", () => void>> & {
    readonly name: (name: string) => void;
  },
): () => void {
  let isReleased = false;
  const onNotification = ({ channel: from, payload }: Notification) => {
    if (from === channel) on.name(payload ?? "");
  };
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    client.off("notification", onNotification);
    // It listens, so it is not for other queries: the pool closes it. Its errors go on being heard.
    client.release(true);
  };
  const onLost = () => {
    // An error is followed by an end.
    if (isReleased) return;
    release();
    on.lost();
  };
  client.on("error", onLost);
  client.on("end", onLost);
  client.on("notification", onNotification);
  client.query(`LISTEN "${channel}"`).then(on.listening, onLost);
  return release;
}

/** Listens on one connection, and on another connection as soon as it is lost. Returns what ends it. */
function listen(
  pool: Pick<PostgresPool, "connect">,
  channel: string,
  onName: (name: string) => void,
): () => void {
  let release: (() => void) | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isClosed = false;

  const reconnect = () => {
    if (isClosed || retry !== undefined) return;
    const delayMs = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** failures);
    failures++;
    retry = setTimeout(() => {
      retry = undefined;
      connect();
    }, delayMs);
  };
  const onListening = () => {
    failures = 0;
  };
  const connect = () =>
    // With a callback, which runs at once: a connection without an `error` listener ends the process
    // when it is lost.
    pool.connect((error, client) => {
      if (client === undefined || error !== undefined) return reconnect();
      const on = { name: onName, listening: onListening, lost: reconnect };
      release = listenOn(client as PoolClient, channel, on);
      if (isClosed) release();
    });

  connect();
  return () => {
    isClosed = true;
    clearTimeout(retry);
    release?.();
  };
}

const CHANNEL = "1 to 63 lower-case letters, digits and underscores, and not begin with a digit";

const OPTIONS = {
  channel: (channel = "malipo_wakeups") =>
    checkText("channel", channel, /^[a-z_][a-z0-9_]{0,62}$/, CHANNEL),
} satisfies OptionRows<PostgresWakeupOptions>;

/**
 * Wake-ups between machines, over LISTEN and NOTIFY of PostgreSQL: a webhook that arrives at one
 * machine ends a wait at another with the next read. They are only hints: a lost notification makes a wait some
 * seconds longer, and loses no payment. A reference of 8,000 bytes or more is not sent.
 *
 * It keeps one connection to listen, and makes a new one when that is lost.
 *
 * @throws {ConfigurationError} for a wrong option.
 */
export function postgresWakeups(
  { pool, listenPool = pool }: PostgresWakeupPools,
  options: PostgresWakeupOptions = {},
): PostgresWakeups {
  const { channel } = checkOptions(options, OPTIONS, "postgresWakeups");
  const local = createWakeups();
  const close = listen(listenPool, channel, local.notify);
  return {
    ...wakeupsBy(local.wake, (name) => {
      if (encodeText(name).length > MAX_PAYLOAD_BYTES) return;
      // Without PostgreSQL there are no hints, but the reads still come: no reason to fail anything.
      pool.query("SELECT pg_notify($1, $2)", [channel, name]).catch(() => {});
    }),
    close: async () => close(),
  };
}
