/**
 * Idempotency keys in SQLite.
 *
 * @module malipo/idempotency/sqlite
 */

import { checkFunction } from "../../internal/check-options.ts";
import { uptimeMs } from "../../internal/retention-clock.ts";
import { warnOnce } from "../../internal/warn-once.ts";
import { checkListQuery, isOpen, pageOf } from "../attempt-pages.ts";
import { createDigest } from "../digest.ts";
import {
  beginResult,
  checkRecord,
  digestsOf,
  type RawRecord,
  resolveResult,
  type StoredRecord,
} from "../record.ts";
import type { AttemptPage, IdempotencyStore, ListQuery, NewAttempt } from "../store.ts";
import { checkStoreOptions, type IdempotencyStoreOptions } from "../store-options.ts";
import { type Opened, SqliteFile } from "./file.ts";

export type { IdempotencyStoreOptions } from "../store-options.ts";

/** An idempotency store in a SQLite file. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Closes the file. Call it when the process stops. */
  close(): void;
}

/** How idempotency keys are remembered in SQLite. */
export interface SqliteIdempotencyOptions extends IdempotencyStoreOptions {
  /**
   * Gets a warning when the clock of the machine was set by more than an hour. No key is forgotten
   * because of it. Set it to send the warning to your log.
   *
   * @default `console.warn`
   */
  onWarning?: ((warning: string) => void) | undefined;
}

type Row = RawRecord & { readonly key: string; readonly is_behind: number };

/** A record, whose lease is restarted where the clock is behind it. */
function read(
  statements: Opened["statements"],
  key: string,
  uptime: number,
): StoredRecord | undefined {
  const row = statements.read.get({ key, uptime }) as Row | undefined;
  if (row === undefined) return undefined;
  const record = checkRecord(key, row);
  if (row.is_behind === 1) statements.restartLease.run({ key, uptime });
  return record;
}

/** SQLite knows no `undefined`. */
const orNull = (text: string | undefined) => text ?? null;

/**
 * Remembers idempotency keys in a SQLite file: one key makes at most one prompt across all processes
 * on this machine that share the file, and across crashes and power cuts. It needs no server and no
 * other package.
 *
 * Leases and the retention are measured by the time since the machine started, so a wall clock that is
 * set changes neither. Time in which the machine is off or asleep does not count.
 *
 * A file that another process has locked is waited for up to five seconds, while the event loop goes
 * on. A file that was deleted or replaced while the process used it is noticed, and nothing is sent.
 *
 * It ends at the machine: a file that is lost with its disk, or restored from a backup, has forgotten
 * the keys since.
 *
 * @param path - The file. It is created where it does not exist, readable only by its owner. It must
 * not be on a network file system.
 * @throws {ConfigurationError} for a wrong option, in a runtime without `node:sqlite`, and for a table
 * of another version of malipo.
 * @throws {Error} where the file cannot be opened, or is not a SQLite database.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { sqliteIdempotency } from "malipo/idempotency/sqlite";
 *
 * const gateway = new Gateway({ idempotency: sqliteIdempotency("/var/lib/shop/payments.db") });
 * ```
 */
export function sqliteIdempotency(
  path: string,
  options: SqliteIdempotencyOptions = {},
): SqliteIdempotency {
  const own = checkStoreOptions(options, "sqliteIdempotency", ["onWarning"]);
  const { retentionMs, scope, pepper } = own;
  // biome-ignore lint/suspicious/noConsole: a merchant who set nothing up must see it too.
  const { onWarning = console.warn } = own;
  checkFunction("onWarning", onWarning);
  const digest = createDigest(pepper);
  const file = new SqliteFile(path, warnOnce(onWarning));

  function rowFor(key: string, attempt: NewAttempt) {
    const { parameters, accountReference, amount, phone } = digestsOf(attempt, digest);
    const { owner, endpoint, idempotencyKey, baseUrl } = attempt;
    return {
      ...{ key, owner, endpoint, idempotencyKey, baseUrl, scope, parameters },
      leaseMs: Math.ceil(attempt.leaseMs),
      accountReference: orNull(accountReference),
      amount: orNull(amount),
      phone: orNull(phone),
    };
  }

  function list({ statements, clock }: Opened, listQuery: ListQuery | undefined): AttemptPage {
    const { state, digests, after, limit } = checkListQuery(listQuery);
    const uptime = uptimeMs();
    const { accountReference } = digests;
    const common = {
      uptime,
      now: clock.now(),
      scope,
      state: orNull(state),
      parameters: orNull(digests.parameters),
      amount: orNull(digests.amount),
      phone: orNull(digests.phone),
      afterBegunAt: after?.at ?? -1,
      afterKey: after?.id ?? "",
      count: limit + 1,
    };
    const rows = (accountReference === undefined
      ? statements[isOpen(state) ? "listOpen" : "list"].all(common)
      : statements.listFor.all({ ...common, accountReference })) as unknown as Row[];
    for (const { key, is_behind } of rows) {
      if (is_behind === 1) statements.restartLease.run({ key, uptime });
    }
    return pageOf(rows, limit);
  }

  return {
    begin: (key, attempt) => {
      const row = rowFor(key, attempt);
      return file.use(({ statements, clock }) => {
        for (;;) {
          const uptime = uptimeMs();
          const times = { wall: Date.now(), now: clock.now(), uptime };
          const { changes } = statements.begin.run({ ...row, ...times });
          if (changes === 1) return { state: "begun" };
          const record = read(statements, key, uptime);
          // Another process may have freed the key between the two statements.
          if (record !== undefined) return beginResult(record, row.parameters, attempt, scope);
        }
      });
    },
    finish: (key, owner, end) =>
      file.use(({ statements, clock }) => {
        const done = end.state === "succeeded";
        const now = clock.now();
        const keepUntil = done ? now + retentionMs : null;
        const result = done ? end.result : null;
        statements.finish.run({ key, owner, state: end.state, result, keepUntil });
        statements.dropExpired.run({ now });
      }),
    forget: (key, owner) =>
      file.use(({ statements }) => {
        statements.forget.run({ key, owner });
      }),
    resolve: (key, result, owner) =>
      file.use(({ statements, clock }) => {
        for (;;) {
          const which = { key, scope, owner: orNull(owner), uptime: uptimeMs() };
          const keepUntil = clock.now() + retentionMs;
          const { changes } =
            result === undefined
              ? statements.free.run(which)
              : statements.resolve.run({ ...which, result, keepUntil });
          if (changes === 1) return { state: "resolved" };
          const record = read(statements, key, which.uptime);
          const found = resolveResult(record, { result, owner, scope });
          // Another process may have ended the attempt between the two statements.
          if (found.state !== "resolved") return found;
        }
      }),
    list: (query) => file.use((opened) => list(opened, query)),
    digest,
    close: () => file.close(),
  };
}
