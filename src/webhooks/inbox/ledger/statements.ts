import { partsOfConflictId } from "../conflicts.ts";
import type { EventFilter } from "../event-list.ts";
import type { StoredDoublePayment } from "../types.ts";
import { bytesOfHex, hexOf } from "./rows.ts";
import type { Dialect } from "./tables.ts";

type Value = Uint8Array | number | string | null;

/** A statement that both databases understand: its values stand for `$1`, `$2` and so on. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** The bytes of an id; none if it is not the text of any bytes, which no row has. */
function bytesOfId(id: string): Uint8Array {
  const bytes = bytesOfHex(id);
  return hexOf(bytes) === id ? bytes : new Uint8Array();
}

function conflictKey(id: string): [key: Uint8Array, digest: Uint8Array] {
  const { key, digest } = partsOfConflictId(id);
  return [bytesOfId(key), bytesOfId(digest)];
}

/** An expression: until when an event is remembered whose processing ends now. */
const forgetAt = (now: string, retentionMs: number): string =>
  `CASE WHEN signed_at > ${now} THEN signed_at + ${retentionMs}
    WHEN signed_at IS NOT NULL THEN ${now} + ${retentionMs} END`;

/** The changes that leave only the key and the digest of a row. */
const withoutBody = ({ noBytes }: Dialect, now: string, retentionMs: number): string =>
  `raw = ${noBytes}, signature = NULL, trace_context = NULL, forget_at = ${forgetAt(now, retentionMs)}`;

/** The changes that make an event one of which only the key and the digest are remembered. */
export const asDone = (dialect: Dialect, now: string, retentionMs: number): string =>
  `state = 'done', error = NULL, ${withoutBody(dialect, now, retentionMs)}`;

const DEAD = "key = $1 AND state = 'dead'";
const OPEN_CONFLICT = "key = $1 AND digest = $2 AND state = 'open'";

/** The statements on what waits for a person, for one kind of database. */
export class LedgerStatements {
  readonly #dialect: Dialect;
  readonly #retentionMs: number;
  readonly #now: () => string;
  readonly #due: () => string;

  /**
   * @param now - An expression: the current time of the ledger, in milliseconds.
   * @param due - The same for the clock by which events are due.
   */
  constructor(dialect: Dialect, retentionMs: number, now: () => string, due: () => string = now) {
    this.#dialect = dialect;
    this.#retentionMs = retentionMs;
    this.#now = now;
    this.#due = due;
  }

  /** @param position - The columns of an id, with the values of the id after which the page begins. */
  #page(
    [table, condition, columns]: readonly [keyof Dialect["tables"], string, columns: string],
    { since, until, after, limit }: EventFilter,
    position: Readonly<Record<string, Value>>,
    kind?: string,
  ): Statement {
    const order = ["received_at", ...Object.keys(position)];
    const [from, before] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const start = [after?.receivedAt ?? from, ...Object.values(position)];
    const values = [since ?? from, until ?? before, limit, ...start];
    return {
      text: `
        SELECT ${columns} FROM ${this.#dialect.tables[table]}
        WHERE ${condition} AND received_at >= $1 AND received_at < $2
          AND (${order.join(", ")}) > (${order.map((_, at) => `$${at + 4}`).join(", ")})
          ${kind === undefined ? "" : `AND kind = $${values.length + 1}`}
        ORDER BY ${order.join(", ")} LIMIT $3
      `,
      values: kind === undefined ? values : [...values, kind],
    };
  }

  deadLetters(filter: EventFilter): Statement {
    return this.#events("state = 'dead'", filter);
  }

  /** Those that are not processed yet. A failed attempt has left its error. */
  waiting(filter: EventFilter & { readonly isRetrying?: boolean }): Statement {
    const retrying = filter.isRetrying ? " AND error IS NOT NULL" : "";
    return this.#events(`state = 'pending'${retrying}`, filter);
  }

  #events(condition: string, filter: EventFilter): Statement {
    const position = { key: bytesOfId(filter.after?.id ?? "") };
    const columns = "key, kind, received_at, signature, attempts, error";
    return this.#page(["events", condition, columns], filter, position, filter.kind);
  }

  deadLetter(id: string): Statement {
    return this.event(id, "dead");
  }

  event(id: string, state: "dead" | "pending"): Statement {
    return {
      text: `SELECT * FROM ${this.#dialect.tables.events} WHERE key = $1 AND state = '${state}'`,
      values: [bytesOfId(id)],
    };
  }

  requeueDead(id: string): Statement {
    const changes = `attempts = 0, error = NULL, due_at = ${this.#due()}`;
    return this.#changeDead(id, `state = 'pending', ${changes}`);
  }

  dropDead(id: string): Statement {
    return this.#changeDead(id, asDone(this.#dialect, this.#now(), this.#retentionMs));
  }

  #changeDead(id: string, changes: string): Statement {
    return {
      text: `UPDATE ${this.#dialect.tables.events} SET ${changes} WHERE ${DEAD}`,
      values: [bytesOfId(id)],
    };
  }

  conflicts(filter: EventFilter): Statement {
    const [key, digest] = conflictKey(filter.after?.id ?? "");
    const columns = "key, digest, kind, received_at, signature";
    return this.#page(
      ["conflicts", "state = 'open'", columns],
      filter,
      { key, digest },
      filter.kind,
    );
  }

  conflict(id: string): Statement {
    return {
      text: `SELECT * FROM ${this.#dialect.tables.conflicts} WHERE ${OPEN_CONFLICT}`,
      values: conflictKey(id),
    };
  }

  /** A person has decided: the conflict is remembered from now on. */
  decideConflict(id: string): Statement {
    const changes = withoutBody(this.#dialect, this.#now(), this.#retentionMs);
    return {
      text: `
        UPDATE ${this.#dialect.tables.conflicts} SET state = 'decided', ${changes}
        WHERE ${OPEN_CONFLICT}
      `,
      values: conflictKey(id),
    };
  }

  /** Changes no row if the pair is stored, or was dropped, already. */
  addDouble(double: StoredDoublePayment): Statement {
    const { id, by, value, references, merchant = null, receivedAt } = double;
    return {
      text: `
        INSERT INTO ${this.#dialect.tables.doubles}
          (id, "by", value, reference_1, reference_2, merchant, received_at, state)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'open')
        ON CONFLICT (id) DO NOTHING
      `,
      values: [id, by, value, ...references, merchant, receivedAt],
    };
  }

  doubles(filter: EventFilter): Statement {
    return this.#page(["doubles", "state = 'open'", "*"], filter, { id: filter.after?.id ?? "" });
  }

  dropDouble(id: string): Statement {
    return {
      text: `
        UPDATE ${this.#dialect.tables.doubles} SET state = 'decided'
        WHERE id = $1 AND state = 'open'
      `,
      values: [id],
    };
  }
}
