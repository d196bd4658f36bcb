import type { CheckoutEngine, CheckoutStore } from "../checkout/orders/checkout-store.ts";
import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { digestInMemory } from "../idempotency/memory/memory-digest.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import { checkOptions, type OptionRows } from "../internal/check-options.ts";
import { SQL_ENGINES } from "../internal/engine-parts.ts";
import { once } from "../internal/once.ts";
import type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";
import { INBOX_OPTIONS } from "../webhooks/inbox/pace.ts";
import { EngineLife, lateInbox, lateOrders, lateStore, PartsByOptions } from "./engine-life.ts";

/** How an engine works in memory. It has no options. */
export interface MemoryOptions {
  /** @internal The clock of orders, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** The part of `DatabaseSync` of Node that `transaction` passes on with {@link memory}. */
export interface MemoryDatabase {
  /** Runs statements without values. */
  exec(sql: string): void;
  /** Prepares one statement. */
  prepare(sql: string): {
    /** The rows that it returns. */
    all(...values: unknown[]): Record<string, unknown>[];
    /** The first row that it returns. */
    get(...values: unknown[]): Record<string, unknown> | undefined;
    /** What it changed. */
    run(...values: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  };
}

/** What {@link memory} returns. */
export interface MemoryEngine
  extends IdempotencyEngine,
    InboxEngine,
    CheckoutEngine<MemoryDatabase> {
  /**
   * The store of idempotency keys. The same options return the same store.
   *
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  idempotency(options?: IdempotencyStoreOptions): IdempotencyStore;
  /**
   * The inbox. The same options return the same inbox.
   *
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  inbox(options?: InboxOptions): Inbox;
  /**
   * The store of orders, with the idempotency keys of this engine. It requires `node:sqlite`: it is a SQLite
   * database in memory, which has the other events of the checkout, too.
   *
   * @throws {ConfigurationError} after `close`.
   */
  checkout(): CheckoutStore<MemoryDatabase>;
  /** Does nothing: there is nothing to make. */
  open(): Promise<void>;
  /** Forgets everything. */
  close(): Promise<void>;
  /** Says that a restart forgets everything. */
  check(): Promise<string[]>;
}

const OPTIONS = { now: (now) => now } satisfies OptionRows<MemoryOptions>;

/**
 * Keeps everything in this process: for tests, and to try things out. **A restart forgets every key, event and
 * order**, and other processes see nothing of them. Use `sqlite()`, `postgres()` or `redis()` for a shop.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { Gateway, memory } from "malipo";
 * import { createWebhookReceiver } from "malipo/webhooks";
 *
 * const db = memory();
 * const gateway = new Gateway({ idempotency: db });
 * const receiver = createWebhookReceiver({ inbox: db });
 * ```
 */
export function memory(options: MemoryOptions = {}): MemoryEngine {
  const { now } = checkOptions(options, OPTIONS, "memory");
  const life = new EngineLife("memory()");
  const keys = new PartsByOptions((given: IdempotencyStoreOptions) =>
    lateStore(
      once(async () => (await import("#memory")).memoryIdempotency(given)),
      digestInMemory(given.pepper),
      () => life.check(),
    ),
  );
  const idempotency = (given: IdempotencyStoreOptions = {}) => {
    life.check();
    return keys.get(checkOptions(given, STORE_OPTIONS, "The idempotency store of memory"));
  };
  const inboxes = new PartsByOptions((given: InboxOptions) => {
    const inbox = lateInbox(async () => {
      life.check();
      // Loaded when it is used: most that import `malipo` have no inbox.
      const { memoryInbox } = await import("#memory");
      return memoryInbox(given);
    });
    life.onClose(() => inbox.stop(0));
    return inbox;
  });
  const loadOrders = once(async () => {
    life.check();
    const sqlite = await (await import("#memory")).loadSqlite();
    const database = sqlite(":memory:", { now });
    life.onClose(() => database.close());
    return database.checkout() as unknown as CheckoutStore<MemoryDatabase>;
  });
  const inboxOfOrders = async () => (await loadOrders()).inbox as Inbox;
  return {
    idempotency,
    inbox: (given = {}) => {
      life.check();
      return inboxes.get(checkOptions(given, INBOX_OPTIONS, "The inbox of memory"));
    },
    checkout: () => {
      life.check();
      return {
        ...lateOrders(loadOrders as () => Promise<CheckoutStore>),
        idempotency: idempotency(),
        inbox: lateInbox(inboxOfOrders),
        // SQLite in memory has no tables that a user makes.
        sql: () => "",
        close: async () => {},
      };
    },
    open: async () => life.check(),
    close: () => life.close(),
    check: async () => [
      `memory() keeps everything in this process, and a restart forgets it. Use ${SQL_ENGINES} or redis(url) in production.`,
    ],
  };
}
