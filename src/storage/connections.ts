// The connections of a room to its server. Each call has one for itself. If the call fails, its connection is closed: what
// is left on it is not known, and the server rolls back what is open on it.
import { waitAtMost, withTimeout } from "../internal/timeout.ts";
import { engineClosed, LeftOpenError } from "./transaction-end.ts";

/** How long a close waits for the connections that are in use. */
const CLOSE_MS = 500;

/** A connection as its library has it. */
export interface Emitter {
  on(name: "error", listener: () => void): unknown;
  off(name: "error", listener: () => void): unknown;
}

/** A pool of connections, as each library has it. */
export interface ConnectionPool<Client> {
  /** How many connections it makes at most. */
  readonly size: number;
  /** @param waitMs - How long to wait for a connection. Default: as long as a customer does. */
  connect(waitMs: number | undefined): Promise<Client>;
  /** @throws {LeftOpenError} if code of the user has left a transaction open on it. */
  checkIdle(client: Client): Promise<void>;
  /** Returns a connection to the pool. @param isBroken - Whether it is closed. */
  release(client: Client, isBroken: boolean): void;
  /** Ends the pool. Missing for a pool of the user. */
  readonly end?: (() => Promise<unknown>) | undefined;
  /** For a call with a limit of time. */
  readonly noReply: () => Error;
}

/** How a connection is used. */
export interface ConnectionUse {
  /** Its abort closes the connection, whatever the work does. */
  readonly signal?: AbortSignal;
  /** After that, the connection is closed, too. */
  readonly timeoutMs?: number | undefined;
}

type Work<Client, Result> = (client: Client) => Promise<Result>;

/** The connections of one room. */
export class Connections<Client extends Emitter> {
  /** What the user must know and was not told yet. */
  readonly warnings = new Set<string>();
  readonly #pool: ConnectionPool<Client>;
  /** What closes each connection that is in use. */
  readonly #busy = new Set<() => void>();
  #isClosed = false;

  constructor(pool: ConnectionPool<Client>) {
    this.#pool = pool;
  }

  /** How many transactions of the merchant's code may run at once: each may need a second connection of the pool. */
  get places(): number {
    return Math.max(1, this.#pool.size - 1);
  }

  /** Work on one connection that is in no transaction. */
  async onIdle<Result>(work: Work<Client, Result>, options: ConnectionUse = {}): Promise<Result> {
    const checked = async (client: Client) => {
      await this.#pool.checkIdle(client);
      return work(client);
    };
    for (let closed = 0; ; closed++) {
      try {
        return await this.onAny(checked, options);
      } catch (error) {
        if (!(error instanceof LeftOpenError) || closed > this.#pool.size) throw error;
        this.warnings.add(error.message);
      }
    }
  }

  /** Work on one connection, also if code of the user has left it in a transaction. */
  async onAny<Result>(
    work: Work<Client, Result>,
    { signal, timeoutMs }: ConnectionUse = {},
  ): Promise<Result> {
    if (this.#isClosed) throw engineClosed();
    const client = await this.#pool.connect(timeoutMs);
    let isBroken = false;
    // It may end while the merchant's code does something else: that would end the process.
    const onEnd = () => {
      isBroken = true;
    };
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#pool.release(client, isBroken);
      isReleased = true;
    };
    const giveUp = () => {
      isBroken = true;
      release();
    };
    this.#busy.add(giveUp);
    client.on("error", onEnd);
    signal?.addEventListener("abort", giveUp);
    try {
      signal?.throwIfAborted();
      const working = work(client);
      const { noReply } = this.#pool;
      return await (timeoutMs === undefined ? working : withTimeout(working, timeoutMs, noReply));
    } catch (error) {
      isBroken = true;
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      client.off("error", onEnd);
      this.#busy.delete(giveUp);
      release();
    }
  }

  takeWarnings(): string[] {
    const warnings = [...this.warnings];
    this.warnings.clear();
    return warnings;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // It rejects for a connection that was lost: that one needs no end.
    const ending = this.#pool.end?.().catch(() => {});
    // A connection that waits for the server would keep the process for minutes.
    if (ending === undefined || (await waitAtMost(ending, CLOSE_MS))) return;
    for (const giveUp of this.#busy) giveUp();
    await waitAtMost(ending, CLOSE_MS);
  }
}
