import { partsOfConflictId } from "../conflicts.ts";
import type { EventFilter } from "../event-list.ts";
import type { StoredDoublePayment } from "../types.ts";
import { bytesOfHex, hexOf } from "./rows.ts";
import type { Dialect } from "./tables.ts";

/** A statement that both databases understand: its values stand for `$1`, `$2` and so on. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (Uint8Array | number | string | null)[];
}

/** The bytes of an id; none if it is not the text of any bytes, which no row has. */
function bytesOfId(id: string): Uint8Array {
  const bytes = bytesOfHex(id);
  return hexOf(bytes) === id ? bytes : new Uint8Array();
}

const RANGE = "received_at >= $1 AND received_at < $2";
const OF_KIND = "(CAST($3 AS TEXT) IS NULL OR kind = $3)";

const rangeIn = ({ since, until }: EventFilter) =>
  [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER] as const;

// Every event comes after this moment.
const timeAfter = ({ after }: EventFilter) => after?.receivedAt ?? Number.MIN_SAFE_INTEGER;

const LISTED = "key, kind, received_at, signature";

/** An expression: until when an event is remembered whose processing ends now. */
const forgetAt = (now: string, retentionMs: number): string =>
  `CASE WHEN signed_at > ${now} THEN signed_at + ${retentionMs}
    WHEN signed_at IS NOT NULL THEN ${now} + ${retentionMs} END`;

const withoutBody = ({ noBytes }: Dialect) =>
  `raw = ${noBytes}, signature = NULL, trace_context = NULL`;

/** The changes that make a row one of which only the key and the digest are remembered. */
export const asDone = (dialect: Dialect, now: string, retentionMs: number): string =>
  `state = 'done', error = NULL, ${withoutBody(dialect)}, forget_at = ${forgetAt(now, retentionMs)}`;

/** The statements on what waits for a person, for one kind of database. */
export class LedgerStatements {
  readonly #dialect: Dialect;
  readonly #retentionMs: number;
  /** An expression: the current time of the ledger, in milliseconds. */
  readonly #now: () => string;

  constructor(dialect: Dialect, retentionMs: number, now: () => string) {
    this.#dialect = dialect;
    this.#retentionMs = retentionMs;
    this.#now = now;
  }

  deadLetters(filter: EventFilter): Statement {
    return {
      text: `
        SELECT ${LISTED}, attempts, error FROM ${this.#dialect.tables.events}
        WHERE state = 'dead' AND ${RANGE} AND ${OF_KIND} AND (received_at, key) > ($4, $5)
        ORDER BY received_at, key LIMIT $6
      `,
      values: [
        ...rangeIn(filter),
        filter.kind ?? null,
        timeAfter(filter),
        bytesOfId(filter.after?.id ?? ""),
        filter.limit,
      ],
    };
  }

  deadLetter(id: string): Statement {
    return {
      text: `
        SELECT ${LISTED}, attempts, error, raw FROM ${this.#dialect.tables.events}
        WHERE key = $1 AND state = 'dead'
      `,
      values: [bytesOfId(id)],
    };
  }

  /** @param changes - Columns that the engine of the ledger sets for an event that is due. */
  requeueDead(id: string, changes: string): Statement {
    return {
      text: `
        UPDATE ${this.#dialect.tables.events}
        SET state = 'pending', attempts = 0, error = NULL${changes}
        WHERE key = $1 AND state = 'dead'
      `,
      values: [bytesOfId(id)],
    };
  }

  dropDead(id: string): Statement {
    return {
      text: `
        UPDATE ${this.#dialect.tables.events}
        SET ${asDone(this.#dialect, this.#now(), this.#retentionMs)}
        WHERE key = $1 AND state = 'dead'
      `,
      values: [bytesOfId(id)],
    };
  }

  conflicts(filter: EventFilter): Statement {
    const after = partsOfConflictId(filter.after?.id ?? "");
    return {
      text: `
        SELECT ${LISTED}, digest FROM ${this.#dialect.tables.conflicts}
        WHERE state = 'open' AND ${RANGE} AND ${OF_KIND}
          AND (received_at, key, digest) > ($4, $5, $6)
        ORDER BY received_at, key, digest LIMIT $7
      `,
      values: [
        ...rangeIn(filter),
        filter.kind ?? null,
        timeAfter(filter),
        bytesOfId(after.key),
        bytesOfId(after.digest),
        filter.limit,
      ],
    };
  }

  conflict(id: string): Statement {
    return {
      text: `
        SELECT * FROM ${this.#dialect.tables.conflicts}
        WHERE key = $1 AND digest = $2 AND state = 'open'
      `,
      values: this.#conflictKey(id),
    };
  }

  /** A person has decided: the conflict is remembered from now on. */
  decideConflict(id: string): Statement {
    return {
      text: `
        UPDATE ${this.#dialect.tables.conflicts}
        SET state = 'decided', ${withoutBody(this.#dialect)},
          forget_at = ${forgetAt(this.#now(), this.#retentionMs)}
        WHERE key = $1 AND digest = $2 AND state = 'open'
      `,
      values: this.#conflictKey(id),
    };
  }

  #conflictKey(id: string): [key: Uint8Array, digest: Uint8Array] {
    const { key, digest } = partsOfConflictId(id);
    return [bytesOfId(key), bytesOfId(digest)];
  }

  /** Changes no row if the pair is stored, or was dropped, already. */
  addDouble(double: StoredDoublePayment): Statement {
    return {
      text: `
        INSERT INTO ${this.#dialect.tables.doubles}
          (id, "by", value, reference_1, reference_2, merchant, received_at, state)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'open')
        ON CONFLICT (id) DO NOTHING
      `,
      values: [
        double.id,
        double.by,
        double.value,
        ...double.references,
        double.merchant ?? null,
        double.receivedAt,
      ],
    };
  }

  doubles(filter: EventFilter): Statement {
    return {
      text: `
        SELECT * FROM ${this.#dialect.tables.doubles}
        WHERE state = 'open' AND ${RANGE} AND (received_at, id) > ($3, $4)
        ORDER BY received_at, id LIMIT $5
      `,
      values: [...rangeIn(filter), timeAfter(filter), filter.after?.id ?? "", filter.limit],
    };
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
