import { isStorable, storableText } from "../../../internal/storable-text.ts";
import { partsOfConflictId } from "../delivery.ts";
import type { EventFilter } from "../event-list.ts";
import type { StoredDoublePayment } from "../inbox-types.ts";
import { bytesOfHex, hexOf } from "./rows.ts";
import type { Dialect } from "./tables.ts";

const MAX_TEXT = 1_000;

type Value = Uint8Array | number | string | null;

/** A statement that both databases understand: its values stand for `$1`, `$2` and so on. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** A text to look for; `""`, which no row has, for one that no database holds. */
const known = (text: string): string => (isStorable(text) ? text : "");

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
    keyOf: (id: string) => ({ id: known(id) }),
  },
} as const satisfies Readonly<Record<string, ListTable>>;

export type ListName = keyof typeof LISTS;

/** A filter of a list. `isRetrying`: only the events whose last attempt failed. */
export type ListFilter = EventFilter & { readonly isRetrying?: boolean };

/** What a person does with an item of a list. */
export type Decision = "requeue" | "drop";

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

  /** The first rows that match. A double payment has no kind. */
  page(name: ListName, filter: ListFilter): Statement {
    const { table, state, columns, keyOf }: ListTable = LISTS[name];
    const { since, until, after, limit, isRetrying } = filter;
    const kind = name === "doublePayments" ? undefined : filter.kind;
    const [first, last] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const key = keyOf(after?.id ?? "");
    const order = ["received_at", ...Object.keys(key)];
    const position = [after?.receivedAt ?? first, ...Object.values(key)];
    const values = [since ?? first, until ?? last, limit, ...position];
    const kinds = kind === undefined ? [] : [known(kind)];
    return {
      text: `
        SELECT ${columns} FROM ${this.#dialect.tables[table]}
        WHERE state = '${state}' AND received_at >= $1 AND received_at < $2
          AND (${order.join(", ")}) > (${order.map((_, at) => `$${at + 4}`).join(", ")})
          ${isRetrying ? "AND error IS NOT NULL" : ""}
          ${kind === undefined ? "" : `AND kind = $${values.length + 1}`}
        ORDER BY ${order.join(", ")} LIMIT $3
      `,
      values: [...values, ...kinds],
    };
  }

  /** A row with its body. */
  row(name: ListName, id: string): Statement {
    return this.#onRow(name, id, (table) => `SELECT * FROM ${table}`);
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

  /** What a person decides. A decided conflict is remembered from now on. */
  decide(name: ListName, how: Decision, id: string): Statement {
    const changes = this.#changes(name, how);
    return this.#onRow(name, id, (table) => `UPDATE ${table} SET ${changes}`);
  }

  #changes(name: ListName, how: Decision): string {
    if (name === "doublePayments") return "state = 'decided'";
    if (name === "deadLetters" && how === "requeue") {
      return `state = 'pending', attempts = 0, error = NULL, due_at = ${this.#due()}`;
    }
    const given = [this.#dialect, this.#now(), this.#retentionMs] as const;
    return name === "conflicts" ? `state = 'decided', ${withoutBody(...given)}` : asDone(...given);
  }

  /** Changes no row if the pair is stored, or was dropped, already. */
  addDouble(double: StoredDoublePayment): Statement {
    const { id, by, merchant = null, receivedAt } = double;
    // They are read by a person. What tells pairs apart is the id.
    const [value, ...references] = [double.value, ...double.references].map((text) =>
      storableText(text, MAX_TEXT),
    ) as [string, string, string];
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
