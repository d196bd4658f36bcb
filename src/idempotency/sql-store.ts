import { checkOptions, type OptionRows } from "../internal/check-options.ts";
import { waitAtMost } from "../internal/timeout.ts";
import { warnOnce } from "../internal/warn-once.ts";
import type { Tables } from "../storage/room.ts";
import { only, type Row, type Step, type Steps } from "../storage/sql-steps.ts";
import { attemptColumns, digestColumns, type NewRecord } from "./columns.ts";
import { createDigest } from "./digest.ts";
import { scopedKey } from "./format.ts";
import type { AttemptEnd, IdempotencyStore } from "./idempotency-store.ts";
import { checkRecord, type Resolution, type StoredRecord } from "./record.ts";
import { type CheckedQuery, type ListedRecord, type Records, recordStore } from "./record-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "./store-options.ts";
import { GROUP_KEYS, GROUP_SIZE, type KeyStatement } from "./tables.ts";

/** How idempotency keys are remembered in a SQL database. */
export interface SqlIdempotencyOptions extends IdempotencyStoreOptions {
  /**
   * Gets a warning when the clock of the machine was set by more than an hour. No key is forgotten
   * because of it. Set it to send the warning to your log.
   *
   * @default `console.warn`
   */
  onWarning?: ((warning: string) => void) | undefined;
}

type KeySteps<Returned> = Steps<KeyStatement, Returned>;

/** How many attempts end until expired records are looked for. Each leaves one at most, and a group has more. */
const ENDS_PER_LOOK = GROUP_SIZE / 2;
/** How long an attempt that has ended waits for that. Another process may drop the same records. */
const MAX_DROP_MS = 200;

function* changesOne(...step: Step<KeyStatement>): KeySteps<boolean> {
  return (yield step).changed === 1;
}

/** The record of a row, whose lease starts again if the clock is behind it. */
function* recordIn(row: Row): KeySteps<StoredRecord> {
  const key = String(row.key);
  const record = checkRecord(key, row);
  if (Number(row.is_behind) === 1) yield ["restartLease", { key }];
  return record;
}

function* readSteps(key: string): KeySteps<StoredRecord | undefined> {
  const [row] = (yield ["read", { key }]).rows;
  return row && (yield* recordIn(row));
}

function* beginSteps(key: string, record: NewRecord): KeySteps<"begun" | StoredRecord | undefined> {
  const values = { key, ...attemptColumns(record) };
  if (yield* changesOne("begin", values)) return "begun";
  const found = yield* readSteps(key);
  if (found !== undefined) return found;
  return (yield* changesOne("beginExpired", values)) ? "begun" : undefined;
}

function* resolveSteps(
  key: string,
  resolution: Resolution,
  retentionMs: number,
): KeySteps<"resolved" | StoredRecord | undefined> {
  const { result = null, owner = null, scope } = resolution;
  const values = { key, scope, owner };
  const isResolved =
    result === null
      ? yield* changesOne("free", values)
      : yield* changesOne("resolve", { ...values, result, retention_ms: retentionMs });
  return isResolved ? "resolved" : yield* readSteps(key);
}

function* listSteps(query: CheckedQuery, scope: string): KeySteps<ListedRecord[]> {
  const { state = null, digests, after, limit } = query;
  const wanted = digestColumns(digests);
  const isOpen = state === "in_flight" || state === "unknown";
  const name = wanted.account_reference === null ? (isOpen ? "listOpen" : "list") : "listFor";
  const position = { after_at: after?.at ?? 0, after_key: after?.id ?? "" };
  const { rows } = yield [name, { scope, state, ...wanted, ...position, count: limit + 1 }];
  const listed: ListedRecord[] = [];
  for (const row of rows) listed.push([String(row.key), yield* recordIn(row)]);
  return listed;
}

/** Drops some expired records. Returns whether there may be more. */
function* dropSteps(): KeySteps<boolean> {
  const keys = (yield ["expired", {}]).rows.map(({ key }) => String(key));
  const [first] = keys;
  if (first === undefined) return false;
  // A statement has a fixed number of values: a smaller group names one key several times.
  yield [
    "dropExpired",
    Object.fromEntries(GROUP_KEYS.map((name, at) => [name, keys[at] ?? first])),
  ];
  return keys.length === GROUP_SIZE;
}

/** The records in the tables of a SQL database. */
class SqlRecords implements Records {
  readonly #tables: Tables<KeyStatement>;
  readonly #retentionMs: number;
  readonly #scope: string;
  readonly #warn: (warning: string) => void;
  #endsUntilLook = 0;

  constructor(
    tables: Tables<KeyStatement>,
    retentionMs: number,
    scope: string,
    warn: (warning: string) => void,
  ) {
    this.#tables = tables;
    this.#retentionMs = retentionMs;
    this.#scope = scope;
    this.#warn = warn;
  }

  async #run<Returned>(steps: () => KeySteps<Returned>): Promise<Returned> {
    try {
      return await this.#tables.run(steps);
    } finally {
      for (const warning of this.#tables.takeWarnings()) this.#warn(warning);
    }
  }

  #stored(key: string): string {
    return scopedKey(this.#scope, key);
  }

  begin(key: string, record: NewRecord): Promise<"begun" | StoredRecord | undefined> {
    return this.#run(() => beginSteps(this.#stored(key), record));
  }

  read(key: string): Promise<StoredRecord | undefined> {
    return this.#run(() => readSteps(this.#stored(key)));
  }

  async finish(key: string, owner: string, end: AttemptEnd): Promise<void> {
    const { state } = end;
    const result = end.state === "succeeded" ? end.result : null;
    const values = { key: this.#stored(key), owner, state, result };
    await this.#run(() => only(["finish", { ...values, retention_ms: this.#retentionMs }]));
    await waitAtMost(this.#dropExpired(), MAX_DROP_MS);
  }

  async forget(key: string, owner: string): Promise<void> {
    await this.#run(() => only(["forget", { key: this.#stored(key), owner }]));
  }

  resolve(key: string, resolution: Resolution): Promise<"resolved" | StoredRecord | undefined> {
    return this.#run(() => resolveSteps(this.#stored(key), resolution, this.#retentionMs));
  }

  list(query: CheckedQuery, scope: string): Promise<readonly ListedRecord[]> {
    return this.#run(() => listSteps(query, scope));
  }

  /** If it fails, a later call drops the records. */
  async #dropExpired(): Promise<void> {
    if (this.#endsUntilLook-- > 0) return;
    this.#endsUntilLook = ENDS_PER_LOOK - 1;
    const mayBeMore = await this.#run(dropSteps).catch(() => false);
    if (mayBeMore) this.#endsUntilLook = 0;
  }
}

const OPTIONS = {
  onWarning: warnOnce,
  ...STORE_OPTIONS,
} satisfies OptionRows<SqlIdempotencyOptions>;

/**
 * Remembers idempotency keys in a SQL database.
 *
 * @param tables - Those of the component `KEYS`.
 * @throws {ConfigurationError} for a wrong option.
 */
export function sqlIdempotency(
  tables: Tables<KeyStatement>,
  options: SqlIdempotencyOptions = {},
): IdempotencyStore {
  const own = checkOptions(options, OPTIONS, "idempotency");
  const { retentionMs, scope, pepper, onWarning } = own;
  const records = new SqlRecords(tables, retentionMs, scope, onWarning);
  return recordStore(records, createDigest(pepper), scope);
}
