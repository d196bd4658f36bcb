import { ConfigurationError } from "../errors/configuration.ts";
import {
  checkChoice,
  checkWholeNumber,
  describeValue,
  ownOptions,
} from "../internal/check-options.ts";
import { attemptRecord, checkRecord, type RawRecord } from "./record.ts";
import type { AttemptDigests, AttemptPage, AttemptRecord, ListQuery } from "./store.ts";

/** The last attempt of a page: pages are ordered by these two. */
export interface Position {
  readonly begunAt: number;
  /** The key under which the store keeps the record. */
  readonly key: string;
}

/** A query after it was checked, with the defaults filled in. */
export interface CheckedQuery {
  readonly state: AttemptRecord["state"] | undefined;
  readonly digests: Partial<AttemptDigests>;
  readonly after: Position | undefined;
  readonly limit: number;
}

/** Whether a query asks for attempts that have not succeeded: there are few, whatever the store keeps. */
export const isOpen = (state: CheckedQuery["state"]): boolean =>
  state === "in_flight" || state === "unknown";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const STATES = [undefined, "in_flight", "unknown", "succeeded"];
const DIGESTS = ["parameters", "accountReference", "amount", "phone"];

/** The position as a text that a caller passes on. */
export const nextOf = ({ begunAt, key }: Position): string => `${begunAt}:${key}`;

function positionFrom(after: unknown): Position {
  const [, begunAt, key] = /^(\d{1,15}):(.+)$/s.exec(String(after)) ?? [];
  if (typeof after === "string" && begunAt !== undefined && key !== undefined) {
    return { begunAt: Number(begunAt), key };
  }
  throw new ConfigurationError(
    `\`after\` must be \`next\` of an earlier page; got ${describeValue(after)}.`,
  );
}

/** @throws {ConfigurationError} for a query with a wrong field. */
export function checkListQuery(query: ListQuery = {}): CheckedQuery {
  const own = ownOptions(query, ["state", "digests", "after", "limit"], "list");
  const { state, digests = {}, after, limit = DEFAULT_LIMIT } = own;
  checkChoice("state", state, STATES);
  checkWholeNumber("limit", limit, 1, MAX_LIMIT);
  return {
    state,
    digests: ownOptions(digests, DIGESTS, "`digests`"),
    after: after === undefined ? undefined : positionFrom(after),
    limit,
  };
}

/** A page from the records that an engine returned: one more than the limit where there are more. */
export function pageOf(
  rows: readonly (RawRecord & { readonly key: string })[],
  limit: number,
): AttemptPage {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    attempts: shown.map((row) => attemptRecord(checkRecord(row.key, row))),
    next: last && nextOf({ begunAt: Number(last.begun_at), key: last.key }),
  };
}
