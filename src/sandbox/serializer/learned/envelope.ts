import { fieldRole, findPaging } from "../../../profile/paging.ts";
import type { Place } from "../../../profile/place.ts";
import { endpointKey } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { hasTimeFormat } from "../../../profile/vocabulary/formats.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import type { Page } from "../../exchange/result.ts";
import { cursorOf } from "../page-request.ts";
import type { Serializer } from "../serializer.ts";
import type { Known } from "./values.ts";
import type { Lookup } from "./write.ts";

/** A request that succeeded. */
export type SuccessRequest = Parameters<Serializer["success"]>[0];

const sent = (value: unknown): Known => ({ sent: value });

/** What a response holds beside its resource, or in the place of one. */
export interface EnvelopeValues {
  readonly status: number;
  readonly now: number;
  /** `undefined`: it is a success. */
  readonly error?: { readonly cause: string; readonly message: string; readonly field: string };
}

/** Looks up the fields of an envelope and of an error, by their shape. */
export function envelopeLookup({ status, now, error }: EnvelopeValues): Lookup {
  return ({ name, types: [type], formats, values, same }) => {
    if (same.includes("status")) return sent(status);
    if (type !== "string") return undefined;
    if (hasTimeFormat(formats)) return { ms: now };
    if (values.length > 0) {
      return { oneOf: [error === undefined ? /^(success|ok)/ : /^(error|fail)/, /^/] };
    }
    if (error === undefined) return name === "message" ? { text: "OK" } : undefined;
    if (same.includes("field")) return { text: error.field || "field" };
    if (same.includes("pointer")) return { text: `/${error.field || "field"}` };
    if (formats.includes("text")) return { text: error.message };
    return formats.includes("token") && !/id$/.test(name) ? { text: error.cause } : undefined;
  };
}

/** The names of links to other pages, for lists that were never seen with another page. */
const LINK = /^(next|prev|previous)(_(page_)?(url|link))?$/;

/** Looks up the fields beside a list, by what they are or by their name. */
export function pageLookup(
  profile: ServiceProfile,
  { endpoint, path }: SuccessRequest,
  { page, records }: { readonly page: Page; readonly records: readonly unknown[] },
): Lookup {
  const { firstPage = 1, parameters } = findPaging(profile, endpointKey(endpoint));
  const { origin, prefix } = ASSUMPTIONS.address.value;
  const address = origin + prefix + path;
  const count = records.length;
  const { size, offset, total } = page;
  const pages = Math.max(Math.ceil(total / Math.max(size, 1)), 1);
  const number = page.page - 1 + firstPage;
  const hasMore = offset + count < total;
  const link = (one: number) => sent(`${address}?${parameters.page ?? "page"}=${one}`);
  /** Another page: its address, its number or its cursor, as the place has it. */
  const other = (isThere: boolean, one: number, from: number) => (place: Place) => {
    const { name, types, formats } = place;
    if (!isThere) return sent(null);
    if (formats.includes("url") || (formats.length === 0 && LINK.test(name))) return link(one);
    return sent(types.includes("number") || /_page$/.test(name) ? one : cursorOf(from));
  };
  const end = (isThere: boolean, one: number) => (place: Place) =>
    place.types[0] === "boolean" ? sent(!isThere) : link(one);
  const next = other(hasMore, number + 1, offset + size);
  const known: Readonly<Record<string, unknown>> = {
    ...{ page: number, size, offset, total, pages, count, more: hasMore },
    from: count === 0 ? null : offset + 1,
    to: count === 0 ? null : offset + count,
    ...{ nextPage: next, nextCursor: next, nextUrl: next },
    previous: other(offset > 0, number - 1, Math.max(offset - size, 0)),
    number_of_elements: count,
    empty: count === 0,
    first: end(offset > 0, firstPage),
    last: end(hasMore, pages - 1 + firstPage),
    path: address,
  };
  return (place) => {
    // `next: { href }` is an address, too.
    const name = place.name === "href" ? (place.parent ?? "") : place.name;
    const value = known[fieldRole(name) ?? name];
    if (typeof value === "function") return value(place) as Known;
    return value === undefined ? undefined : sent(value);
  };
}
