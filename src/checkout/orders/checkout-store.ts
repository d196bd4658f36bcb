import type { IdempotencyStore } from "../../idempotency/idempotency-store.ts";
import type { PageQuery } from "../../internal/page-cursor.ts";
import type { Inbox } from "../../webhooks/index.ts";
import type { PaymentUpdate } from "../rules/inputs.ts";
import { type AttemptState, dueAt, isOpen, type OrderState } from "../rules/order-state.ts";
import type { OrderStatus, ReviewDecision } from "../rules/order-types.ts";

/** An order with the version that a change of it must name. */
export interface StoredOrder {
  readonly version: number;
  readonly order: OrderState;
}

/** How often one phone may be asked, over all orders. */
export interface PhoneLimits {
  /** How many prompts in `withinMs`, and twice as many in a day that were not approved. */
  readonly prompts: number;
  readonly withinMs: number;
  /** How long after its click the prompt of another order may be open. */
  readonly openMs: number;
}

/** A prompt on a phone: `none` was never sent, and is not counted. */
export interface Prompt {
  readonly number: number;
  readonly phone: string;
  readonly at: number;
  readonly state: "new" | "open" | "paid" | "ended" | "none";
}

/** What is written of one order, whole or not at all. */
export interface OrderWrite {
  readonly order: OrderState;
  /** The version that it replaces; 0 for a new order. */
  readonly version: number;
  /** By the store's clock. */
  readonly now: number;
  readonly dueAt: number | undefined;
  /** References that belong to the order from now on. */
  readonly references: readonly string[];
  /** Further names of its payments. */
  readonly aliases: readonly string[];
  readonly prompts: readonly Prompt[];
  readonly limits: PhoneLimits;
  /** Added to the log of decisions. */
  readonly lines?: readonly object[] | undefined;
}

/** What became of a change. Only `done` has changed anything. */
export type Committed =
  /** `strays`: reports of payments without an order until now. */
  | { readonly state: "done"; readonly strays: readonly PaymentUpdate[] }
  /** Another change was faster. */
  | { readonly state: "stale" }
  /** Another order has this account reference. */
  | { readonly state: "label_taken" }
  /** Its customer was asked before, and then the order was deleted. */
  | { readonly state: "deleted" }
  /** The reference belongs to another order, or to a deleted one. */
  | { readonly state: "foreign" }
  /** The phone was asked too often, or another order asks it now. */
  | { readonly state: "busy"; readonly by: "limit" | "open"; readonly until: number };

/** The transaction of a change. */
export interface Within<Connection = unknown> {
  /** In this transaction of the merchant, which is begun and committed elsewhere. */
  readonly transaction?: unknown;
  /**
   * The merchant's code. It runs after the order was written, in the same transaction, with the merchant's connection.
   * The change is `done` only if it was read in that transaction after this.
   */
  readonly work?: (connection: Connection) => unknown;
  /** A further change of the order, in the same transaction; it is asked for after `work`. */
  readonly then?: () => OrderWrite | undefined;
  /** Whether `work` is known to be an async function, before it runs. */
  readonly isAsync?: boolean;
  /** Is called if `work` has written no row, by a store that can know. */
  readonly onEmpty?: () => void;
  /** Is called if the connection is used after the end of the transaction, by a store that can know. */
  readonly onLate?: () => void;
  /** Aborts when the transaction must end, whatever `work` does. */
  readonly signal?: AbortSignal;
}

/** Which orders `list` returns. */
export interface StoreQuery extends PageQuery {
  readonly status: OrderStatus | undefined;
  /** Only orders with a review. */
  readonly review: boolean;
  /** Only paid orders of which something is due. */
  readonly isDue?: boolean;
}

/** An order of which something is due; of one that is paid, it may be the goods. */
export interface DueOrder {
  readonly id: string;
  readonly isPaid: boolean;
}

/** What a payment is called. */
export interface PaymentNames {
  readonly reference: string;
  readonly alias?: string | undefined;
  /** Its account reference. */
  readonly label?: string | undefined;
}

/** What became of a report that is to be stored: `bound` if an order has the payment by now. */
export type Retained = "new" | "known" | "bound";

/** A payment that was kept without an order. */
export interface KnownStray {
  readonly at: number;
  /** What was said about it, if it was kept before an order had it. */
  readonly report: PaymentUpdate | undefined;
  readonly decision: ReviewDecision | undefined;
  /** It was under review, and an order has it now. */
  readonly isClosed: boolean;
  /** Who has decided about it, and when; nothing if its review ended by itself. */
  readonly decided?: Decided | undefined;
}

/** Who has decided about a payment that belongs to no order, and when. */
export interface Decided {
  readonly by?: string | undefined;
  /** Of the refund, if it is one. */
  readonly reference?: string | undefined;
  readonly reason?: string | undefined;
  /** By the store's clock. */
  readonly at: number;
}

/** A decision about a payment that belongs to no order. */
export interface StrayDecision extends Omit<Decided, "at"> {
  readonly decision: ReviewDecision;
  /** Added to the log of decisions. */
  readonly lines: readonly object[];
}

/** A payment that belongs to no order. */
export interface Stray {
  readonly report: PaymentUpdate;
  readonly at: number;
}

/**
 * The store of a checkout. Each method is atomic, also across the processes that share the
 * store. `checkout()` of an engine makes one: `sqlite()`, `postgres()` or `memory()`.
 */
export interface CheckoutStore<Connection = unknown> {
  /** The idempotency keys of its prompts: those of its engine. */
  readonly idempotency: IdempotencyStore;
  /** Events other than those of payments; `undefined` if the store cannot hold any. */
  readonly inbox: Inbox | undefined;
  /** The SQL that makes all its tables, for a user who may not make them at run time. */
  sql(): string;
  /** Makes its tables if they are missing. */
  open(): Promise<void>;
  /** Closes what it has opened. */
  close(): Promise<void>;
  /**
   * The clock of the store, and an order.
   *
   * @internal
   * @param transaction - Reads in this transaction of the merchant.
   * @param isMadeSince - Another one has made the order since that transaction began, which may not see it otherwise.
   */
  read(
    id: string,
    transaction?: unknown,
    isMadeSince?: boolean,
  ): Promise<{ readonly now: number; readonly stored: StoredOrder | undefined }>;
  /**
   * The id of the order to which a payment belongs: by its reference, else by its other name, else by its account
   * reference.
   *
   * @internal
   */
  orderOf(names: PaymentNames): Promise<string | undefined>;
  /**
   * The orders that have one of these labels, of which there are at most 64.
   *
   * @internal
   */
  labelled(labels: readonly string[]): Promise<readonly LabelledOrder[]>;
  /** @internal */
  commit(write: OrderWrite, within?: Within<Connection>): Promise<Committed>;
  /**
   * Orders of which something is due: those that have been due for longest, and paid ones beside them.
   *
   * @internal
   */
  due(limit: number): Promise<DueOrder[]>;
  /**
   * Orders by the time at which they were made, one more than the limit.
   *
   * @internal
   */
  list(query: StoreQuery): Promise<OrderState[]>;
  /**
   * Orders whose customer was asked on this phone, the last one first.
   *
   * @internal
   * @param phone - Its digest.
   */
  byPhone(phone: string, limit: number): Promise<OrderState[]>;
  /**
   * Keeps a report of a payment that belongs to no order; as a review, if a person must look at it.
   *
   * @internal
   * @param isForeign - The order that the payment was bound to does not know it.
   */
  keep(report: PaymentUpdate, isReview: boolean, isForeign: boolean): Promise<Retained>;
  /**
   * Payments without an order that a person must look at.
   *
   * @internal
   */
  unmatched(limit: number): Promise<Stray[]>;
  /**
   * Ends such a review, and adds what the log of decisions says of it. Resolves with whether it did: not if
   * there is none, or if it has ended.
   *
   * @internal
   */
  resolve(reference: string, decision: StrayDecision): Promise<boolean>;
  /**
   * When a payment that belongs to no order was first seen, and what a person has decided about it.
   *
   * @internal
   */
  strayOf(reference: string): Promise<KnownStray | undefined>;
  /**
   * Adds a line to the log of decisions.
   *
   * @internal
   */
  addDecision(line: object): Promise<void>;
  /**
   * The last lines of that log, in the order in which they were added.
   *
   * @internal
   */
  decisions(limit: number): Promise<readonly object[]>;
}

/** An order, by its label. */
export interface LabelledOrder {
  readonly id: string;
  readonly label: string;
  readonly status: string;
}

/** How references are compared: services change the case of a label, and cut blanks off. */
export const labelOf = (accountReference: string): string => accountReference.trim().toUpperCase();

const referencesOf = ({ attempts, money }: OrderState): string[] =>
  [...attempts, ...money].flatMap(({ reference }) => reference ?? []);

const aliasesOf = ({ money }: OrderState): string[] => money.flatMap(({ alias }) => alias ?? []);

const promptState = (attempt: AttemptState): Prompt["state"] => {
  if (isOpen(attempt)) return "open";
  if (attempt.status === "completed") return "paid";
  return attempt.status === "not_sent" ? "none" : "ended";
};

/** The change that makes one order of another. */
export function writeOf(
  { version, order: before }: StoredOrder,
  order: OrderState,
  now: number,
  limits: PhoneLimits,
): OrderWrite {
  const known = new Set(referencesOf(before));
  const prompts = order.attempts.flatMap((attempt, at): Prompt | readonly [] => {
    const { number, phoneDigest: phone, askedAt } = attempt;
    const former = before.attempts[at];
    const state = former === undefined ? "new" : promptState(attempt);
    const isSame = former !== undefined && promptState(former) === state;
    return isSame ? [] : { number, phone, at: askedAt, state };
  });
  const references = [...new Set(referencesOf(order))].filter((one) => !known.has(one));
  const knownAliases = new Set([...known, ...references, ...aliasesOf(before)]);
  const aliases = [...new Set(aliasesOf(order))].filter((one) => !knownAliases.has(one));
  return { order, version, now, dueAt: dueAt(order), references, aliases, prompts, limits };
}

/** An engine that holds the orders of a checkout: `sqlite()`, `postgres()` or `memory()`. */
export interface CheckoutEngine<Connection = unknown> {
  /** The store of orders. Its idempotency keys and its other events are in the same engine. */
  checkout(): CheckoutStore<Connection>;
}
