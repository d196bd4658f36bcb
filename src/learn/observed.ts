import type { KeyKind } from "../contract/keys.ts";
import { isObject } from "../internal/is-object.ts";
import { parseJson } from "../internal/json.ts";
import type { RejectionCause } from "../profile/causes.ts";

/** Names and values of headers, as `Headers`, `Map` and `Object.entries` give them. */
export type HeaderEntries = Iterable<readonly [name: string, value: string]>;

/** @param wanted - The name of the header in lower case. */
export const headerValue = (headers: HeaderEntries, wanted: string): string | undefined =>
  [...headers].find(([name]) => name.toLowerCase() === wanted)?.[1];

/** A request to the service and its response, raw. Only shapes of it are stored. */
export interface Exchange {
  readonly method: string;
  /** Below the base URL, without the query, such as `/payments/PAY123`. */
  readonly path: string;
  /** Only the names and numbers of known paging parameters are read. */
  readonly query?: URLSearchParams | undefined;
  /** The kind of the key that was sent. `other`: it has none of the three prefixes. */
  readonly key?: KeyKind | "other" | "none" | undefined;
  /**
   * The parsed body of the request, if the sender has it: a field of the response that repeats one of its
   * fields is known by that. No value of it enters the profile.
   */
  readonly sent?: unknown;
  /** Whether the request had a body. */
  readonly hasBody?: boolean | undefined;
  /** Whether the request had an `Origin` header, as those of browsers have. */
  readonly hasOrigin?: boolean | undefined;
  /**
   * What is wrong with the request, if the sender did it on purpose. If the service accepts it all
   * the same, the profile shows it. `undefined`: guessed from the status, for a rejection.
   */
  readonly cause?: RejectionCause | undefined;
  readonly status: number;
  readonly headers: HeaderEntries;
  /** The text of the response's body. */
  readonly body: string;
}

/** A delivery whose signature was verified, raw. Only shapes of it are stored. */
export interface DeliverySeen {
  readonly headers: HeaderEntries;
  readonly body: string | Uint8Array;
  /** The status that the receiver returned. */
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** The deepest body of JSON that is learned from. No service nests nearly as deep, and no stack is as deep as JSON may be. */
const MAX_LEVELS = 100;
/** How many names a body may have. A list repeats its names; a body with more has ids for names. */
const MAX_NAMES = 10_000;

/** Why nothing is learned from a JSON value; `undefined` if it is within the limits. */
function excessIn(value: unknown): string | undefined {
  const names = new Set<string>();
  let level = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return `nests more than ${MAX_LEVELS} levels deep`;
    const next: object[] = [];
    for (const one of level) {
      if (isObject(one)) for (const name of Object.keys(one)) names.add(name);
      const inner: unknown[] = Array.isArray(one) ? one : Object.values(one);
      for (const value of inner) if (typeof value === "object" && value !== null) next.push(value);
      if (names.size > MAX_NAMES) return `has more than ${MAX_NAMES.toLocaleString("en")} names`;
    }
    level = next;
  }
  return undefined;
}

/** The parsed text of a body. `text`: it is not JSON. `excess`: it is JSON beyond the limits. */
export interface ParsedBody {
  readonly kind: "json" | "text" | "empty" | "excess";
  /** Which limit the body exceeds, such as `nests more than 100 levels deep`. */
  readonly excess?: string;
  /** The value of a JSON body. */
  readonly value?: unknown;
}

export function parseBody(text: string): ParsedBody {
  if (text.trim() === "") return { kind: "empty" };
  const value = parseJson(text);
  if (value === undefined) return { kind: "text" };
  const excess = excessIn(value);
  return excess === undefined ? { kind: "json", value } : { kind: "excess", excess };
}
