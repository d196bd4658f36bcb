import type { Db, PgBoss } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkTransact } from "../../../storage/postgres/check-transact.ts";
import { makeTables } from "../../../storage/postgres/make-tables.ts";
import { withTimeout } from "../../../internal/timeout.ts";
import { EventMissingError } from "../errors.ts";
import { queueOf } from "../kinds.ts";
import { DEFAULT_PACE } from "../pace.ts";
import { type Begin, type Database, inTransaction, noReply, type Transact } from "./database.ts";
import { Ledger } from "./ledger.ts";
import { addJobs, createQueues, engineQueue, type QueuedEvent, type Tuning } from "./queues.ts";
import { createTables, dialectOf, rows } from "./tables.ts";

export interface Settings {
  readonly inbox: string;
  readonly retentionMs: number;
  /** The schema of the inbox's tables. */
  readonly schema: string;
  readonly tuning: Tuning;
  /** The connections of a pg-boss that the inbox creates: the user's own is not stopped. */
  readonly database: Database | undefined;
  readonly transact: Transact | undefined;
}

/** How long the start may take, which creates tables. */
const START_TIMEOUT_MS = 60_000;

/** The longest time of a timer: a handler has its own limit. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

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
  /** Runs the user's own statements in a transaction. */
  readonly userTransaction: Transact;
  /** One error for each setting with which this PostgreSQL can lose acknowledged deliveries. */
  readonly durabilityProblems: ConfigurationError[] = [];
  #opening: Promise<void> | undefined;

  constructor(boss: PgBoss, settings: Settings) {
    this.boss = boss;
    this.settings = settings;
    this.ledger = new Ledger(dialectOf(settings.schema, settings.inbox), settings.retentionMs);
    this.timeoutMs = settings.tuning.engineTimeoutMs ?? DEFAULT_PACE.engineTimeoutMs;
    const { transact = (run) => this.#inTransaction((db) => run(clientOf(db), db)) } = settings;
    this.userTransaction = transact;
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
    const { boss } = this;
    const { inbox, schema, database } = this.settings;
    await boss.start();
    // Only a start creates the schema, and one that was there may be gone.
    if (database !== undefined && !(await boss.isInstalled())) {
      await boss.stop({ graceful: false });
      await boss.start();
    }
    const create = (db: Db) => createTables(db, this.settings, dialectOf(schema, inbox));
    await makeTables(() => this.#inTransaction(create, START_TIMEOUT_MS));
    await this.#checkTransact();
    await this.matchQueues();
    await this.#checkDurability();
  }

  async #checkTransact(): Promise<void> {
    const { transact, schema, inbox } = this.settings;
    if (transact === undefined) return;
    const { meta } = dialectOf(schema, inbox).tables;
    const run = (text: string, values?: unknown[]) => this.boss.getDb().executeSql(text, values);
    await checkTransact(transact, { owner: "pgBossInbox", meta, run });
  }

  async #checkDurability(): Promise<void> {
    const text =
      "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'";
    const problems = (await rows(this.boss.getDb(), text)).map(
      ({ name }) =>
        new ConfigurationError(
          `This PostgreSQL loses acknowledged webhooks when it crashes: \`${name}\` is off. Set \`${name} = on\`.`,
        ),
    );
    this.durabilityProblems.splice(0, Number.POSITIVE_INFINITY, ...problems);
  }

  /** Sees to it that pg-boss has the queues. @throws {ConfigurationError} if another one has them, too. */
  async matchQueues(): Promise<void> {
    const { inbox, tuning } = this.settings;
    const created = await createQueues(this.boss, inbox, tuning);
    const known = await this.ledger.knownQueues(this.boss.getDb());
    if (Object.keys(created).every((name) => known[name] === created[name])) return;
    try {
      await this.#inTransaction((db) => this.#restoreJobs(db, created), START_TIMEOUT_MS);
    } catch (error) {
      // Nothing is stored until it is solved.
      if (error instanceof ConfigurationError) this.#opening = undefined;
      throw error;
    }
  }

  /** If pg-boss was installed again, it has no job for the events that wait. */
  async #restoreJobs(db: Db, created: Readonly<Record<string, string>>): Promise<void> {
    const known = await this.ledger.knownQueues(db, "FOR UPDATE");
    const names = Object.keys(created).filter((name) => known[name] !== created[name]);
    if (names.length === 0) return;
    if (names.some((name) => String(created[name]) < (known[name] ?? ""))) {
      throw new ConfigurationError(
        `Another pg-boss works on the events of the inbox ${JSON.stringify(this.settings.inbox)} in the schema ${this.settings.schema}: it created its queues after this one. Each pg-boss needs another inbox: set \`schema\` or \`queue\` of one of them.`,
      );
    }
    const isNew = ({ event }: QueuedEvent) =>
      names.includes(engineQueue(this.settings.inbox, queueOf(event)));
    await this.ledger.setKnownQueues(db, created);
    let page = await this.ledger.pending(db, "");
    while (page.length > 0) {
      await this.addJobs(db, page.filter(isNew));
      page = await this.ledger.pending(db, page.at(-1)?.key ?? "");
    }
  }

  readonly #begin: Begin = async () => {
    const db = this.boss.getDb();
    if (db.beginTransaction !== undefined) return db.beginTransaction();
    throw new ConfigurationError(
      "The database connection of this pg-boss has no `beginTransaction`: the inbox stores an event and its job in one transaction. Create the pg-boss with a `connectionString`, or pass that to pgBossInbox.",
    );
  };

  #inTransaction<Result>(run: (db: Db) => Promise<Result>, timeoutMs = NO_TIMEOUT_MS) {
    return inTransaction(this.#begin, run, timeoutMs);
  }

  /** Runs statements in one transaction, once everything is there. */
  async transaction<Result>(
    run: (db: Db) => Promise<Result>,
    timeoutMs: number = this.timeoutMs,
  ): Promise<Result> {
    const deadline = performance.now() + timeoutMs;
    await withTimeout(this.open(), timeoutMs, noReply);
    try {
      return await this.#inTransaction(run, Math.max(1, deadline - performance.now()));
    } catch (error) {
      // The next call makes again what is missing.
      if (isSchemaMissing(error)) this.#opening = undefined;
      throw error;
    }
  }

  addJobs(db: Db, events: readonly QueuedEvent[]): Promise<void> {
    return addJobs(this.boss, this.settings.inbox, events, db);
  }
}

/** What a handler's `transaction` passes on: see `PgBossTransaction`. */
function clientOf(db: Db) {
  const executeSql: Db["executeSql"] = (text, values) => db.executeSql(text, values);
  return { executeSql, query: executeSql };
}
