import type { Steps } from "../../../storage/sql-steps.ts";
import { notProcessedHere } from "../errors.ts";
import type { Transaction } from "../inbox-types.ts";
import type { Kinds } from "../kinds.ts";
import type {
  Extended,
  FailedLease,
  Lease,
  LeaseChanges,
  LeaseStore,
  Maintenance,
} from "../lease-store.ts";
import { asDone } from "../tables.ts";
import { type Claimed, claimSteps, dueCountSteps, nextDueSteps, partsOfToken } from "./claim.ts";
import { type InboxSql, type InboxStatement, valueList } from "./inbox-sql.ts";
import type { InboxStore } from "./inbox-store.ts";
import { stored } from "./rows.ts";
import { Upkeep } from "./upkeep.ts";

/**
 * How many deliveries are leased before a handler is free for them. In this process, others wait to be stored while a
 * commit runs.
 */
const MAX_AHEAD = { here: 24, server: 100 };

/** How long the code of a handler may do something else in the middle of its transaction. */
const MAX_IDLE_MS = 300_000;

/** The rows of some leases, for each number that they hold. */
const byNumber = (tokens: readonly string[]): Map<number, number[]> => {
  const all = new Map<number, number[]>();
  for (const { row, token } of tokens.map(partsOfToken)) {
    all.set(token, [...(all.get(token) ?? []), row]);
  }
  return all;
};

const tokensOf = (leases: readonly Lease[]): string[] => leases.map(({ token }) => token);

/** Changes the rows that still hold their leases. Returns the number of those rows. */
function* changeSteps(
  sql: InboxSql,
  changes: string,
  tokens: readonly string[],
  given: Readonly<Record<string, number>> = {},
): Steps<InboxStatement, number> {
  let changed = 0;
  for (const [token, rows] of byNumber(tokens)) {
    const { text, values } = valueList("row", rows);
    const update = `UPDATE ${sql.tables.events} SET ${changes}
      WHERE id IN (${text}) AND token = $token AND state = 'pending'`;
    changed += (yield [sql.statement(update), { ...values, ...given, token }]).changed;
  }
  return changed;
}

function* completeSteps(sql: InboxSql, tokens: readonly string[]) {
  return yield* changeSteps(sql, asDone(sql.dialect), tokens, { keep: sql.keepMs });
}

function* failSteps({ lease, error, retryInMs }: FailedLease): Steps<InboxStatement, void> {
  const state = retryInMs === undefined ? "dead" : "pending";
  const retry = Math.ceil(retryInMs ?? 0);
  yield ["fail", { ...partsOfToken(lease.token), state, retry, error: stored(error) }];
}

/** The leases of some that hold no more. */
function* lostSteps(sql: InboxSql, tokens: readonly string[]): Steps<InboxStatement, string[]> {
  const lost = new Set(tokens);
  for (const [token, rows] of byNumber(tokens)) {
    const { text, values } = valueList("row", rows);
    const query = `SELECT id FROM ${sql.tables.events}
      WHERE id IN (${text}) AND token = $token AND state = 'pending'`;
    const found = (yield [sql.statement(query), { ...values, token }]).rows;
    for (const { id } of found) lost.delete(`${Number(id)}/${token}`);
  }
  return [...lost];
}

/** The events of an inbox, as one worker leases them. */
export class SqlLeases implements LeaseStore {
  readonly maxAhead: number;
  readonly #store: InboxStore;
  readonly #leaseMs: number;
  readonly #upkeep: Upkeep;
  /** Another process may have stored an event, or this one has. */
  #mayBeDue = true;
  /** When the next event is due, as far as the last look showed. */
  #nextDueAt = Number.NEGATIVE_INFINITY;
  /** The transactions of handlers that are at their end, and have locked their events. */
  readonly #ending = new Map<string, Promise<unknown>>();

  constructor(store: InboxStore) {
    this.#store = store;
    this.#leaseMs = Math.ceil(store.pace.leaseMs);
    this.#upkeep = new Upkeep(store);
    this.maxAhead = MAX_AHEAD[store.sql.dialect.isInProcess ? "here" : "server"];
  }

  /** Deliveries come first, if they wait for the same connection. */
  get isStoring(): boolean {
    return this.#store.isStoring;
  }

  noteDue(): void {
    this.#mayBeDue = true;
  }

  nextDueInMs(): number {
    return this.#mayBeDue ? 0 : this.#nextDueAt - performance.now();
  }

  /** Looks for what is due. What arrives meanwhile may not be seen. */
  async #look<Found>(look: Promise<Found>, nextIn: (found: Found) => number): Promise<Found> {
    this.#mayBeDue = false;
    const found = await look;
    this.#noteNext(nextIn(found));
    return found;
  }

  #noteNext(inMs: number): void {
    this.#mayBeDue ||= inMs <= 0;
    this.#nextDueAt = performance.now() + inMs;
  }

  /**
   * How leases ended does not wait for the disk of this machine: an event whose "processed" is lost with the machine is
   * processed again, as if the machine had failed a moment before.
   */
  async commit(changes: LeaseChanges): Promise<Lease[]> {
    const { complete, fail, release, claim } = changes;
    const hasEnded = complete.length + fail.length + release.length > 0;
    if (!hasEnded && !(await this.#isAnyDue(claim))) return [];
    // One whose transaction is about to commit is not handed back: another process could repeat it.
    const ending = release.flatMap(({ token }) => this.#ending.get(token) ?? []);
    const released = release.filter(({ token }) => !this.#ending.has(token));
    const { leases } = await this.#look(
      this.#store.transaction(() => this.#commitSteps({ ...changes, release: released }), {
        isLater: true,
      }),
      ({ nextInMs }) => nextInMs,
    );
    await Promise.allSettled(ending);
    return leases;
  }

  /** What changes nothing begins no transaction, and does not wait for other processes. */
  async #isAnyDue({ room, kinds }: LeaseChanges["claim"]): Promise<boolean> {
    if (room() === 0) return false;
    if (this.#mayBeDue && !this.#store.sql.dialect.isInProcess) return true;
    const { sql } = this.#store;
    await this.#look(
      this.#store.run(() => nextDueSteps(sql, kinds)),
      (inMs) => inMs,
    );
    return this.#mayBeDue;
  }

  *#commitSteps(changes: LeaseChanges): Steps<InboxStatement, Claimed> {
    const { sql } = this.#store;
    const { complete, fail, release, claim } = changes;
    yield* completeSteps(sql, tokensOf(complete));
    for (const failed of fail) yield* failSteps(failed);
    const handedBack = `token = NULL, attempts = attempts - 1, due_at = ${sql.dialect.clocks.leaseMs}`;
    yield* changeSteps(sql, handedBack, tokensOf(release));
    const count = claim.room();
    if (count === 0) return { leases: [], nextInMs: 0 };
    const { kinds, busy } = claim;
    return yield* claimSteps(sql, { count, kinds, busy, leaseMs: this.#leaseMs });
  }

  async extend(tokens: readonly string[]): Promise<Extended> {
    // A transaction at its end has locked its event, and would keep the others waiting.
    const held = tokens.filter((token) => !this.#ending.has(token));
    if (held.length === 0) return { kept: [], lost: [] };
    const { sql } = this.#store;
    const { leaseMs } = sql.dialect.clocks;
    const given = { lease: this.#leaseMs };
    const until = `due_at = ${leaseMs} + $lease`;
    const steps = function* (): Steps<InboxStatement, string[]> {
      const changed = yield* changeSteps(sql, until, held, given);
      return changed === held.length ? [] : yield* lostSteps(sql, held);
    };
    const gone = new Set(await this.#store.transaction(steps, { isLater: true }));
    return {
      kept: held.filter((token) => !gone.has(token)),
      // Its transaction may have ended it meanwhile.
      lost: [...gone].filter((token) => !this.#ending.has(token)),
    };
  }

  dueCount(kinds: Kinds): Promise<number> {
    return this.#store.run(() => dueCountSteps(this.#store.sql, kinds));
  }

  maintain(kinds: Kinds): Promise<Maintenance> {
    return this.#upkeep.run(kinds);
  }

  transaction({ token }: Lease, isHeld: () => boolean): Transaction {
    const { tables } = this.#store;
    return async <Result, Connection>(
      write: (connection: Connection) => Result | Promise<Result>,
    ): Promise<Result> => {
      let noteEnd = () => {};
      const end = new Promise<void>((resolve) => {
        noteEnd = resolve;
      });
      const ended = tables.together<void, Result>({
        *before() {},
        isReady: () => true,
        // As it is: SQLite refuses one that is async.
        work: write as (connection: unknown) => Result | Promise<Result>,
        after: () => this.#endSteps(token, isHeld, end),
        *seen() {
          const { row } = partsOfToken(token);
          const found = (yield ["stateOf", { row }]).rows[0];
          if (found?.state !== "pending") return;
          throw new Error(
            "`transact` resolved, and nothing of its transaction is in the database. It must commit before it resolves.",
          );
        },
        caller: "The handler",
        idleMs: MAX_IDLE_MS,
      });
      try {
        // Without `worked`, it would have rejected.
        return (await ended).worked?.result as Result;
      } finally {
        this.#ending.delete(token);
        noteEnd();
      }
    };
  }

  /** The end of an event in the transaction of its handler. */
  *#endSteps(
    token: string,
    isHeld: () => boolean,
    end: Promise<void>,
  ): Steps<InboxStatement, void> {
    if (!isHeld()) throw notProcessedHere();
    const { sql } = this.#store;
    // In this process, the transaction ends before anything else happens.
    if (!sql.dialect.isInProcess) this.#ending.set(token, end);
    if ((yield* completeSteps(sql, [token])) === 0) throw notProcessedHere();
  }
}
