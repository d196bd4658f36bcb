import { checkChoice, ownOptions } from "../internal/check-options.ts";
import { checkPageQuery, cutPage, type PageQuery } from "../internal/page-cursor.ts";
import { attemptRecord, type StoredRecord } from "./record.ts";
import type { AttemptDigests, AttemptPage, AttemptRecord, ListQuery } from "./store.ts";

/** A query after it was checked, with the defaults filled in. */
export interface CheckedQuery extends PageQuery {
  readonly state: AttemptRecord["state"] | undefined;
  readonly digests: Partial<AttemptDigests>;
}

/** Whether a query asks for attempts that have not succeeded: there are few, whatever the store keeps. */
export const isOpen = (state: CheckedQuery["state"]): boolean =>
  state === "in_flight" || state === "unknown";

const STATES = [undefined, "in_flight", "unknown", "succeeded"];
const DIGESTS = ["parameters", "accountReference", "amount", "phone"];

/** @throws {ConfigurationError} for a query with a wrong field. */
export function checkListQuery(query: ListQuery = {}): CheckedQuery {
  const own = ownOptions(query, ["state", "digests", "after", "limit"], "list");
  const { state, digests = {} } = own;
  checkChoice("state", state, STATES);
  return { state, digests: ownOptions(digests, DIGESTS, "`digests`"), ...checkPageQuery(own) };
}

/** A record with its key. */
export type ListedRecord = readonly [key: string, record: StoredRecord];

/** A page from records: one more than the limit if there are more. */
export function pageOf(records: readonly ListedRecord[], limit: number): AttemptPage {
  const { items, next } = cutPage(records, limit, ([id, { begunAt }]) => ({ at: begunAt, id }));
  return { attempts: items.map(([, record]) => attemptRecord(record)), next };
}
