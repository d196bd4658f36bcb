import { type Db, getConstructionPlans, type PgBoss } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { withTimeout } from "../../../internal/timeout.ts";
import { EventMissingError } from "../errors.ts";
import { DEFAULT_PACE } from "../pace.ts";
import { queueOf } from "../types.ts";
import {
  type Database,
  inTransaction,
  noReply,
  type PgBossTransaction,
  type Transact,
} from "./database.ts";
import { Ledger, rows } from "./ledger.ts";
import { addJobs, createQueues, type Tuning } from "./queues.ts";

export interface Settings {
  readonly inbox: string;
  readonly retentionMs: number;
  /** The schema of the inbox's tables. */
  readonly schema: string;
  /** The schema of a pg-boss that the inbox creates. */
  readonly bossSchema: string | undefined;
  readonly tuning: Tuning;
  /** The connections of a pg-boss that the inbox creates: the user's own is not stopped. */
  readonly database: Database | undefined;
  readonly transact: Transact | undefined;
}

/** How long the start may take, which creates tables. */
const START_TIMEOUT_MS = 60_000;

const PENDING_AT_ONCE = 1_000;

// The codes of PostgreSQL for a table, a schema and a function that are not there.
const MISSING_CODES = new Set(["42P01", "3F000", "42883"]);

/** Whether an error says that tables or queues are gone, which were there before. */
const isSchemaMissing = (error: unknown): boolean =>
  error instanceof EventMissingError ||
  MISSING_CODES.has(String((error as { code?: unknown } | null)?.code));

/** A pg-boss with the ledger beside it, once both are there. */
export class Store {
  readonly boss: PgBoss;
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly timeoutMs: number;
  #opening: Promise<void> | undefined;

  constructor(boss: PgBoss, settings: Settings) {
    this.boss = boss;
    this.settings = settings;
    this.ledger = new Ledger(settings.schema, settings.inbox, settings.retentionMs);
    this.timeoutMs = settings.tuning.engineTimeoutMs ?? DEFAULT_PACE.engineTimeoutMs;
  }

  /** Once; again after it failed. */
  open(): Promise<void> {
    this.#opening ??= this.#start().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #start(): Promise<void> {
    const { boss, ledger, settings } = this;
    await boss.start();
    // A pg-boss that was started before does not look for its schema again.
    if (settings.database !== undefined && !(await boss.isInstalled())) {
      await boss.getDb().executeSql(getConstructionPlans(settings.bossSchema));
    }
    await inTransaction(this.begin, (db) => ledger.create(db), START_TIMEOUT_MS);
    const created = await createQueues(boss, settings.inbox, settings.tuning);
    await inTransaction(this.begin, (db) => this.#restoreJobs(db, created), START_TIMEOUT_MS);
  }

  /** If pg-boss was installed again, it has no job for the events that wait. */
  async #restoreJobs(db: Db, created: Readonly<Record<string, string>>): Promise<void> {
    const { ledger } = this;
    await ledger.noteRetention(db);
    const known = JSON.parse((await ledger.meta(db, "queues", true)) ?? "{}");
    const queues = Object.keys(created).filter((queue) => known[queue] !== created[queue]);
    if (queues.length === 0) return;
    await ledger.setMeta(db, "queues", "$2::text", JSON.stringify(created));
    let page = await ledger.pending(db, "", PENDING_AT_ONCE);
    while (page.length > 0) {
      await this.addJobs(
        db,
        page.filter(({ event }) => queues.includes(queueOf(event))),
      );
      page = await ledger.pending(db, page.at(-1)?.key ?? "", PENDING_AT_ONCE);
    }
  }

  readonly begin = (): ReturnType<NonNullable<Db["beginTransaction"]>> => {
    const db = this.boss.getDb();
    if (db.beginTransaction !== undefined) return db.beginTransaction();
    throw new ConfigurationError(
      "The database connection of this pg-boss has no `beginTransaction`: the inbox stores an event and its job in one transaction. Create the pg-boss with a `connectionString`, or pass that to pgBossInbox.",
    );
  };

  /** Runs statements in one transaction, once everything is there. */
  async transaction<Result>(
    run: (db: Db) => Promise<Result>,
    timeoutMs: number = this.timeoutMs,
  ): Promise<Result> {
    const started = performance.now();
    await withTimeout(this.open(), timeoutMs, noReply);
    const leftMs = Math.max(1, timeoutMs - (performance.now() - started));
    try {
      return await inTransaction(async () => this.begin(), run, leftMs);
    } catch (error) {
      // The next call makes again what is missing.
      if (isSchemaMissing(error)) this.#opening = undefined;
      throw error;
    }
  }

  /** Runs the user's own statements in a transaction. */
  async userTransaction<Result>(
    run: (client: unknown, db: Db) => Promise<Result>,
  ): Promise<Result> {
    const { transact } = this.settings;
    if (transact !== undefined) return transact(run);
    const { db, commit, rollback } = await this.begin();
    try {
      const executeSql: PgBossTransaction["executeSql"] = (text, values) =>
        db.executeSql(text, values);
      const result = await run({ executeSql, query: executeSql }, db);
      await commit();
      return result;
    } catch (error) {
      await rollback();
      throw error;
    }
  }

  addJobs(db: Db, events: Parameters<typeof addJobs>[2]): Promise<void> {
    return addJobs(this.boss, this.settings.inbox, events, db);
  }

  /** One error for each setting with which this PostgreSQL can lose acknowledged deliveries. */
  async checkDurability(): Promise<ConfigurationError[]> {
    const text =
      "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'";
    return (await rows(this.boss.getDb(), text)).map(
      ({ name }) =>
        new ConfigurationError(
          `This PostgreSQL loses acknowledged webhooks when it crashes: \`${name}\` is off. Set \`${name} = on\`.`,
        ),
    );
  }
}
