import { partsOfConflictId } from "../delivery.ts";
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

/** The rows of a list. */
interface ListTable {
  readonly table: keyof Dialect["tables"];
  readonly state: string;
  /** What a page shows. */
  readonly columns: string;
  /** The columns by which a row is found, with the values of an id. They order a page, too. */
  readonly keyOf: (id: string) => Readonly<Record<string, Value>>;
}

const EVENTS = {
  table: "events",
  columns: "key, kind, received_at, signature, attempts, error",
  keyOf: (id: string) => ({ key: bytesOfId(id) }),
} as const;

const LISTS = {
  deadLetters: { ...EVENTS, state: "dead" },
  /** Those that are not processed yet. A failed attempt has left its error. */
  waiting: { ...EVENTS, state: "pending" },
  conflicts: {
    table: "conflicts",
    state: "open",
    columns: "key, digest, kind, received_at, signature",
    keyOf: (id: string) => {
      const { key, digest } = partsOfConflictId(id);
      return { key: bytesOfId(key), digest: bytesOfId(digest) };
    },
  },
  doublePayments: {
    table: "doubles",
    state: "open",
    columns: "*",
    keyOf: (id: string) => ({ id }),
  },
} as const satisfies Readonly<Record<string, ListTable>>;

export type ListName = keyof typeof LISTS;

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

  /** The first rows that match. `isRetrying`: only those whose last attempt failed. */
  page(name: ListName, filter: EventFilter & { readonly isRetrying?: boolean }): Statement {
    const { table, state, columns, keyOf }: ListTable = LISTS[name];
    const { kind, since, until, after, limit, isRetrying } = filter;
    const [first, last] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const key = keyOf(after?.id ?? "");
    const order = ["received_at", ...Object.keys(key)];
    const position = [after?.receivedAt ?? first, ...Object.values(key)];
    const values = [since ?? first, until ?? last, limit, ...position];
    return {
      text: `
        SELECT ${columns} FROM ${this.#dialect.tables[table]}
        WHERE state = '${state}' AND received_at >= $1 AND received_at < $2
          AND (${order.join(", ")}) > (${order.map((_, at) => `$${at + 4}`).join(", ")})
          ${isRetrying ? "AND error IS NOT NULL" : ""}
          ${kind === undefined ? "" : `AND kind = $${values.length + 1}`}
        ORDER BY ${order.join(", ")} LIMIT $3
      `,
      values: kind === undefined ? values : [...values, kind],
    };
  }

  /** A row with its body. */
  row(name: ListName, id: string): Statement {
    return this.#onRow(name, id, (table) => `SELECT * FROM ${table}`);
  }

  #change(name: ListName, id: string, changes: string): Statement {
    return this.#onRow(name, id, (table) => `UPDATE ${table} SET ${changes}`);
  }

  #onRow(name: ListName, id: string, what: (table: string) => string): Statement {
    const { table, state, keyOf }: ListTable = LISTS[name];
    const key = keyOf(id);
    const conditions = Object.keys(key).map((column, at) => `${column} = $${at + 1}`);
    return {
      text: `${what(this.#dialect.tables[table])} WHERE ${conditions.join(" AND ")} AND state = '${state}'`,
      values: Object.values(key),
    };
  }

  requeueDead(id: string): Statement {
    const changes = `state = 'pending', attempts = 0, error = NULL, due_at = ${this.#due()}`;
    return this.#change("deadLetters", id, changes);
  }

  dropDead(id: string): Statement {
    const changes = asDone(this.#dialect, this.#now(), this.#retentionMs);
    return this.#change("deadLetters", id, changes);
  }

  /** A person has decided: the conflict is remembered from now on. */
  decideConflict(id: string): Statement {
    const changes = withoutBody(this.#dialect, this.#now(), this.#retentionMs);
    return this.#change("conflicts", id, `state = 'decided', ${changes}`);
  }

  dropDouble(id: string): Statement {
    return this.#change("doublePayments", id, "state = 'decided'");
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
}
