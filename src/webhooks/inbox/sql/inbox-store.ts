import { isEngineAway } from "../../../storage/engine-away.ts";
import type { Tables, TransactionOptions } from "../../../storage/room.ts";
import type { Steps } from "../../../storage/sql-steps.ts";
import { Batcher, type Stored } from "../batcher.ts";
import type { NewDelivery, Receipt } from "../inbox-types.ts";
import { DEFAULT_PACE, type Pace } from "../pace.ts";
import { InboxSql, type InboxStatement } from "./inbox-sql.ts";
import { storeSteps } from "./store-group.ts";

/** Time between two runs of the upkeep: in this process, and of all processes at a server. */
const MAINTENANCE_MS = { here: 1_000, server: 30_000 };

/** The tables of an inbox, and how it uses them. */
export class InboxStore {
  readonly tables: Tables<InboxStatement>;
  readonly sql: InboxSql;
  readonly pace: Pace;
  readonly maintenanceMs: number;
  readonly timeoutMs: number;
  readonly #batcher: Batcher;
  readonly #onStored: () => void;
  /** Deliveries are being stored, and nothing else is to come before them. */
  isStoring = false;
  /** The retention is written. */
  hasRetention = false;

  /** @param onStored - Is called after each group of deliveries. */
  constructor(
    tables: Tables<InboxStatement>,
    { retentionMs, pace }: { readonly retentionMs: number; readonly pace: Pace },
    onStored: () => void,
  ) {
    this.tables = tables;
    this.sql = new InboxSql(tables.dialect, retentionMs);
    this.pace = pace;
    this.#onStored = onStored;
    this.timeoutMs = pace.engineTimeoutMs ?? DEFAULT_PACE.engineTimeoutMs;
    const { isInProcess } = tables.dialect;
    this.maintenanceMs = pace.maintenanceMs ?? MAINTENANCE_MS[isInProcess ? "here" : "server"];
    // While one group waits for the disk of a server, the next one is on its way.
    const limits = { deadlineMs: this.timeoutMs, parallel: isInProcess ? 1 : 2 };
    this.#batcher = new Batcher((...group) => this.#storeGroup(...group), limits);
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return this.#batcher.add(delivery);
  }

  run<Returned>(steps: () => Steps<InboxStatement, Returned>): Promise<Returned> {
    return this.tables.run(steps, this.timeoutMs);
  }

  transaction<Returned>(
    steps: () => Steps<InboxStatement, Returned>,
    options: TransactionOptions<Returned> = {},
  ): Promise<Returned> {
    return this.tables.transaction(steps, { timeoutMs: this.timeoutMs, ...options });
  }

  /** Writes the retention, once: a person who drops an event from a shell has it remembered for as long. */
  *retentionSteps(): Steps<InboxStatement, void> {
    if (this.hasRetention) return;
    const row = { name: "retention", value: String(this.sql.keepMs) };
    yield ["addMeta", row];
    yield ["setMeta", row];
  }

  async #storeGroup(
    deliveries: readonly NewDelivery[],
    isOver: (at: number) => boolean,
  ): Promise<Stored[]> {
    this.isStoring = this.tables.dialect.isInProcess;
    try {
      return await this.#store(deliveries, isOver);
    } catch (error) {
      if (this.isStoring || deliveries.length === 1 || isEngineAway(error)) throw error;
      return await this.#storeEach(deliveries, isOver);
    } finally {
      this.isStoring = false;
      this.#onStored();
    }
  }

  /** A delivery that the database does not take must not keep others from being stored. */
  async #storeEach(
    deliveries: readonly NewDelivery[],
    isOver: (at: number) => boolean,
  ): Promise<Stored[]> {
    const stored: Stored[] = [];
    for (const [at, delivery] of deliveries.entries()) {
      const one = await this.#store([delivery], () => isOver(at)).catch((error: Error) => [error]);
      stored.push(...one);
    }
    return stored;
  }

  /** All of them are on the disk when this resolves. */
  async #store(
    deliveries: readonly NewDelivery[],
    isOver: (at: number) => boolean,
  ): Promise<Stored[]> {
    let live: number[] = [];
    const own = new Set<NewDelivery>();
    const { sql } = this;
    const retention = this.retentionSteps.bind(this);
    const store = function* (): Steps<InboxStatement, readonly Receipt["kind"][]> {
      yield* retention();
      live = [...deliveries.keys()].filter((at) => !isOver(at));
      const group = live.map((at) => deliveries[at] as NewDelivery);
      return yield* storeSteps(sql, group, own);
    };
    const stored = await this.transaction(store, { isLater: true, isSplit: true });
    this.hasRetention = true;
    await this.tables.sync();
    const kinds = new Map(live.map((at, place) => [at, stored[place]]));
    return deliveries.map((_, at) => kinds.get(at));
  }
}
