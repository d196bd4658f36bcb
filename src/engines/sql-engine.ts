// What every engine does that is a database of SQL: keys, events and orders are tables of one room.
import type { CheckoutStore } from "../checkout/orders/checkout-store.ts";
import { sqlCheckout } from "../checkout/orders/order-store.ts";
import { ORDERS, type OrderStatement } from "../checkout/orders/tables.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { sqlIdempotency } from "../idempotency/sql-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import { KEYS, type KeyStatement } from "../idempotency/tables.ts";
import { checkOptions } from "../internal/check-options.ts";
import { type Component, isStoredSteps, metaOf } from "../storage/component.ts";
import type { Room, Tables } from "../storage/room.ts";
import { only, statement } from "../storage/sql-steps.ts";
import type { InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";
import { INBOX_OPTIONS } from "../webhooks/inbox/pace.ts";
import { sqlInbox } from "../webhooks/inbox/sql/inbox.ts";
import { INBOX, type InboxStatement, retentionQuery } from "../webhooks/inbox/tables.ts";
import {
  type EngineLife,
  failuresOf,
  PartsByOptions,
  type StoredPart,
  type StoredSettings,
} from "./engine-life.ts";

/** The tables of each part. */
const COMPONENTS = {
  idempotency: KEYS,
  inbox: INBOX,
  checkout: ORDERS,
} satisfies Readonly<Record<StoredPart, Component>>;

const PARTS = Object.keys(COMPONENTS) as StoredPart[];

/** How an engine was set up. */
export interface SqlEngineOptions {
  /** As the user calls it: `sqlite`. */
  readonly owner: string;
  readonly pepper: string | Uint8Array | undefined;
  readonly onWarning: ((warning: string) => void) | undefined;
  /** What the user must know when an inbox starts. */
  readonly atStart?: () => readonly string[];
  /** See `Inbox.place`. */
  readonly place?: () => unknown;
}

/** Keys, events and orders in one database. */
export class SqlEngine<Connection> {
  readonly #room: Room<Connection>;
  readonly #life: EngineLife;
  readonly #options: SqlEngineOptions;
  readonly #keys: PartsByOptions<IdempotencyStoreOptions, IdempotencyStore>;
  /** Those of each part, made at its first use. */
  readonly #tables: {
    idempotency?: Tables<KeyStatement, Connection>;
    inbox?: Tables<InboxStatement, Connection>;
    checkout?: Tables<OrderStatement, Connection>;
  } = {};

  constructor(room: Room<Connection>, life: EngineLife, options: SqlEngineOptions) {
    this.#room = room;
    this.#life = life;
    this.#options = options;
    const { onWarning } = options;
    this.#keys = new PartsByOptions((given) =>
      sqlIdempotency(this.#keyTables(), { ...given, onWarning }),
    );
    life.onClose(() => room.close());
  }

  #keyTables() {
    this.#tables.idempotency ??= this.#room.tables(KEYS);
    return this.#tables.idempotency;
  }

  #eventTables() {
    this.#tables.inbox ??= this.#room.tables(INBOX);
    return this.#tables.inbox;
  }

  #orderTables() {
    this.#tables.checkout ??= this.#room.tables(ORDERS);
    return this.#tables.checkout;
  }

  readonly idempotency = (given: IdempotencyStoreOptions = {}): IdempotencyStore => {
    this.#life.check();
    const { owner, pepper } = this.#options;
    const options = { ...given, pepper: given.pepper ?? pepper };
    return this.#keys.get(
      checkOptions(options, STORE_OPTIONS, `The idempotency store of ${owner}`),
    );
  };

  readonly inbox = (given: InboxOptions = {}): Inbox => {
    this.#life.check();
    const { owner, atStart: check, place } = this.#options;
    const { retentionMs, pace } = checkOptions(given, INBOX_OPTIONS, `The inbox of ${owner}`);
    return sqlInbox(this.#eventTables(), { retentionMs, pace, place, ...(check && { check }) });
  };

  readonly checkout = (): CheckoutStore<Connection> => {
    this.#life.check();
    return sqlCheckout(this.#orderTables(), {
      idempotency: this.idempotency(),
      inbox: this.inbox(),
      sql: this.sql,
      open: () => this.#keyTables().open(),
      // The engine belongs to the caller.
      close: async () => {},
    });
  };

  readonly sql = (): string => this.#room.sql(Object.values(COMPONENTS));

  readonly open = async (): Promise<void> => {
    this.#life.check();
    for (const part of PARTS) await this.#openPart(part);
  };

  #openPart(part: StoredPart): Promise<void> {
    const tables = {
      idempotency: () => this.#keyTables(),
      inbox: () => this.#eventTables(),
      checkout: () => this.#orderTables(),
    };
    return tables[part]().open();
  }

  /** What is stored of a part; `undefined` if nothing is. It makes nothing. */
  readonly stored = async (part: StoredPart): Promise<StoredSettings | undefined> => {
    this.#life.check();
    const { dialect } = this.#room;
    const component: Component = COMPONENTS[part];
    const isStored = await this.#room
      .look(isStoredSteps(dialect, component))
      .catch(async (error: unknown) => {
        const right = await this.#missingRight(component).catch(() => undefined);
        throw right ?? error;
      });
    if (!isStored) return undefined;
    // Tables of a newer version are refused before anything is read from them.
    await this.#openPart(part);
    if (part !== "inbox") return {};
    const query = statement(retentionQuery(metaOf(dialect, component)));
    const { rows } = await this.#room.look(only<never>([query, {}]));
    return { retentionMs: rows[0] === undefined ? undefined : Number(rows[0].value) };
  };

  /** What is wrong with the database, or with what is stored there. */
  readonly check = async (): Promise<string[]> => {
    this.#life.check();
    try {
      const problems = await this.#room.check();
      return [...problems, ...(await failuresOf(...PARTS.map((part) => () => this.#try(part))))];
    } catch (error) {
      return failuresOf(() => {
        throw error;
      });
    }
  };
  /** What is stored is opened as another process would: what has changed since is seen. Nothing is made. */
  async #try(part: StoredPart): Promise<void> {
    const component: Component = COMPONENTS[part];
    const right = await this.#missingRight(component);
    if (right !== undefined) throw right;
    if ((await this.stored(part)) !== undefined) await this.#room.tables(component).open();
  }

  async #missingRight(component: Component): Promise<ConfigurationError | undefined> {
    const right = await this.#room.missingRight?.(component);
    return right === undefined ? undefined : new ConfigurationError(right);
  }
}
