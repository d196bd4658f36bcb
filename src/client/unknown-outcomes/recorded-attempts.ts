import type { Payment } from "../../contract/payment.ts";
import type {
  AttemptPage,
  AttemptRecord,
  IdempotencyStore,
  ListQuery,
} from "../../idempotency/idempotency-store.ts";
import { storeError } from "../../idempotency/run-once.ts";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import type { Redactor } from "../../internal/redact.ts";
import type { CallOptions } from "../options.ts";
import type { ReadPage } from "./payment-pages.ts";

/** An attempt to make a call once, as the store remembers it. */
export interface Attempt {
  /** The idempotency key. */
  readonly idempotencyKey: string;
  /** The endpoint, such as `"POST /mobile-money/payment/initiate"`: pass it to `resolve`. */
  readonly endpoint: `${string} /${string}`;
  /** The id of the attempt: pass it to `resolve`. Empty once the attempt was resolved. */
  readonly attempt: string;
  /** `in_flight`: some process makes it now. `unknown`: it may have happened. */
  readonly state: "in_flight" | "unknown" | "succeeded";
  /** When it began, by the clock of the store. */
  readonly begunAt: Date;
  /** From then on no request of it can be on its way, and it may be resolved as not sent. */
  readonly notSentFrom: Date;
  /** The address of the service. */
  readonly baseUrl: string;
  /** The scope of the store. */
  readonly scope: string;
}

/** Which attempts `gateway.idempotency.list` returns. */
export interface AttemptQuery {
  /** Only attempts in this state. Set `"unknown"` to see what has to be resolved. */
  state?: Attempt["state"] | undefined;
  /** The `next` of the previous page. */
  after?: string | undefined;
  /**
   * How many attempts a page has at most, from 1 to 1,000.
   *
   * @default 100
   */
  limit?: number | undefined;
}

/** A page of attempts, the oldest first. Iterating over it goes through the pages after it, too. */
export interface AttemptList extends AsyncIterable<Attempt> {
  readonly items: readonly Attempt[];
  /** Pass it as `after` to get the next page. `undefined` on the last page. */
  readonly next: string | undefined;
}

/** What the functions around attempts need of a gateway. */
export interface AttemptsContext {
  readonly store: IdempotencyStore;
  readonly redactor: Redactor;
}

/** What a look for payments needs beside the store. */
export interface LookContext extends AttemptsContext {
  readonly baseUrl: string;
  /** After which time a payment is in the list for certain, as a profile of the service has it. */
  readonly listedAfterMs?: number | undefined;
  readPage(options: CallOptions): ReadPage;
  readPayment(reference: string): Promise<Payment>;
}

export function toAttempt(record: AttemptRecord): Attempt {
  const { endpoint, idempotencyKey, owner, state, begunAt, notSentInMs, baseUrl, scope } = record;
  return {
    idempotencyKey,
    endpoint: endpoint as Attempt["endpoint"],
    attempt: owner,
    state,
    begunAt: new Date(begunAt),
    notSentFrom: new Date(Date.now() + notSentInMs),
    baseUrl,
    scope,
  };
}

/** Calls the store, and turns what it throws into an error of ours: nothing was changed by it. */
export async function fromStore<T>(
  { redactor }: AttemptsContext,
  failed: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw storeError(failed, cause, redactor);
  }
}

export const listRecords = (context: AttemptsContext, query: ListQuery): Promise<AttemptPage> =>
  fromStore(context, "The idempotency store failed while it listed the attempts.", () =>
    context.store.list(query),
  );

/** The store checks the values. */
const QUERY = {
  state: (state) => state,
  after: (cursor) => cursor,
  limit: (limit) => limit,
} satisfies OptionRows<AttemptQuery>;

/**
 * @param digests - Only attempts with these digests.
 * @throws {ConfigurationError} for a wrong option.
 * @throws {ConnectionError} if the store fails.
 */
export async function listAttempts(
  context: AttemptsContext,
  given: AttemptQuery = {},
  digests: ListQuery["digests"] = undefined,
): Promise<AttemptList> {
  const query = checkOptions(given, QUERY, "list");
  const page = await listRecords(context, { ...query, digests });
  const items = page.attempts.map(toAttempt);
  const list = {
    items,
    next: page.next,
    async *[Symbol.asyncIterator]() {
      for (let one: AttemptList = list; ; ) {
        yield* one.items;
        if (one.next === undefined) return;
        one = await listAttempts(context, { ...query, after: one.next }, digests);
      }
    },
  };
  // Not enumerable, so that a log of a page shows its items.
  Object.defineProperty(list, Symbol.asyncIterator, { enumerable: false });
  return list;
}

export async function allRecords(
  context: AttemptsContext,
  query: ListQuery,
): Promise<AttemptRecord[]> {
  const records: AttemptRecord[] = [];
  let after: string | undefined;
  do {
    const page = await listRecords(context, { ...query, after });
    records.push(...page.attempts);
    after = page.next;
  } while (after !== undefined);
  return records;
}
