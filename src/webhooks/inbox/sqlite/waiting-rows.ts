import type { DatabaseSync, StatementSync } from "node:sqlite";
import { conflictIdOf, partsOfConflictId } from "../conflicts.ts";
import { conflictNotFound, deadLetterNotFound } from "../errors.ts";
import type { Conflict, DeadLetter, EventFilter } from "../event-list.ts";
import { exactText } from "../text.ts";
import type { NewDelivery } from "../types.ts";
import { deliveryIn, fromHex, type Row, toHex } from "./columns.ts";
import { prepareAll } from "./file.ts";

const FILTER = `
  ($kind IS NULL OR event = $kind)
  AND ($since IS NULL OR received_at >= $since)
  AND ($until IS NULL OR received_at < $until)
`;

const STATEMENTS = {
  dead: `
    SELECT key, event, raw, attempts, error, received_at, signature FROM malipo_inbox
    WHERE state = 'dead' AND ${FILTER} AND (received_at, key) > ($afterTime, $afterKey)
    ORDER BY received_at, key LIMIT $limit
  `,
  requeue: `
    UPDATE malipo_inbox SET state = 'ready', attempts = 0, due_at = ?2, error = NULL
    WHERE key = ?1 AND state = 'dead'
  `,
  /** The key and the digest recognise duplicates. */
  drop: `
    UPDATE malipo_inbox
    SET state = 'done', due_at = ?2, error = NULL, raw = x'', signature = NULL, trace_context = NULL
    WHERE key = ?1 AND state = 'dead'
  `,
  conflicts: `
    SELECT * FROM malipo_inbox_conflicts
    WHERE length(raw) > 0 AND ${FILTER}
      AND (received_at, key, digest) > ($afterTime, $afterKey, $afterDigest)
    ORDER BY received_at, key, digest LIMIT $limit
  `,
  conflict: `
    SELECT * FROM malipo_inbox_conflicts WHERE key = ?1 AND digest = ?2 AND length(raw) > 0
  `,
  endConflict: `
    UPDATE malipo_inbox_conflicts SET raw = x'', signature = NULL, trace_context = NULL
    WHERE key = ?1 AND digest = ?2
  `,
} as const;

/** The values of a filter, without the id after which the page begins. */
const valuesIn = ({ kind, since, until, after, limit }: EventFilter) => ({
  kind: kind ?? null,
  since: since ?? null,
  until: until ?? null,
  // Every event comes after this moment.
  afterTime: after?.receivedAt ?? Number.MIN_SAFE_INTEGER,
  limit,
});

/** The bytes of an id; none where it is not the text of any bytes, which no row has. */
function bytesOfId(id: string): Uint8Array {
  const bytes = fromHex(id);
  return toHex(bytes) === id ? bytes : new Uint8Array();
}

const fieldsOf = (row: Row) => ({
  event: row.event as string,
  body: exactText(row.raw as Uint8Array),
  receivedAt: row.received_at as number,
  signature: (row.signature ?? undefined) as string | undefined,
});

/** The rows that wait for a person. Nothing here begins or ends a transaction. */
export class WaitingRows {
  readonly #statements: Record<keyof typeof STATEMENTS, StatementSync>;
  readonly #retentionMs: number;

  constructor(database: DatabaseSync, retentionMs: number) {
    this.#statements = prepareAll(database, STATEMENTS);
    this.#retentionMs = retentionMs;
  }

  deadLetters(filter: EventFilter): DeadLetter[] {
    const afterKey = bytesOfId(filter.after?.id ?? "");
    return this.#statements.dead.all({ ...valuesIn(filter), afterKey }).map((row) => ({
      id: toHex(row.key),
      ...fieldsOf(row),
      attempts: row.attempts as number,
      error: row.error as string,
    }));
  }

  requeueDead(ids: readonly string[]): void {
    this.#endDead("requeue", ids, Date.now());
  }

  dropDead(ids: readonly string[]): void {
    this.#endDead("drop", ids, Date.now() + this.#retentionMs);
  }

  #endDead(how: "requeue" | "drop", ids: readonly string[], dueAt: number): void {
    for (const id of ids) {
      const { changes } = this.#statements[how].run(bytesOfId(id), dueAt);
      if (changes === 0) throw deadLetterNotFound(id);
    }
  }

  conflicts(filter: EventFilter): Conflict[] {
    const { key, digest } = partsOfConflictId(filter.after?.id ?? "");
    const after = { afterKey: bytesOfId(key), afterDigest: bytesOfId(digest) };
    return this.#statements.conflicts.all({ ...valuesIn(filter), ...after }).map((row) => ({
      id: conflictIdOf({ key: toHex(row.key), digest: toHex(row.digest) }),
      ...fieldsOf(row),
    }));
  }

  /** Takes conflicts off the list. Gives their deliveries. */
  endConflicts(ids: readonly string[]): NewDelivery[] {
    return ids.map((id) => {
      const { key, digest } = partsOfConflictId(id);
      const values = [bytesOfId(key), bytesOfId(digest)] as const;
      const row = this.#statements.conflict.get(...values);
      if (row === undefined) throw conflictNotFound(id);
      this.#statements.endConflict.run(...values);
      return deliveryIn(row);
    });
  }
}
