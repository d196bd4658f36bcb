import { fieldRole } from "../../../profile/paging.ts";
import type { Page } from "../../exchange/result.ts";
import { choice, type Fact, moment, text, value } from "./values.ts";
import type { Lookup } from "./write.ts";

/** What a response says beside its resource, or in the place of one. */
export interface EnvelopeFacts {
  readonly status: number;
  readonly path: string;
  readonly now: number;
  /** `undefined`: it is a success. */
  readonly error?: { readonly cause: string; readonly message: string; readonly field: string };
}

const isTrue = /^(ok|success|successful|succeeded)$/;

/** Looks up the fields of an envelope and of an error. */
export function envelopeLookup({ status, path, now, error }: EnvelopeFacts): Lookup {
  const isOk = error === undefined;
  const message = error?.message ?? "OK";
  return ({ name, types, formats }, within) => {
    const [type] = types;
    if (type === "boolean") {
      if (isTrue.test(name) || name === "status") return value(isOk);
      return name === "error" || name === "failed" ? value(!isOk) : undefined;
    }
    if (type === "number")
      return /^(status|code|status_code|http_status)$/.test(name) ? value(status) : undefined;
    if (type !== "string") return undefined;
    if (/^(timestamp|time|date|created_at)$/.test(name)) return moment(now);
    if (/^(path|instance)$/.test(name)) return value(path);
    const isNumber = formats.includes("digits3") && !formats.includes("token");
    if (isNumber && /^(status|code|status_code|http_status)$/.test(name)) {
      return value(String(status));
    }
    if (name === "status")
      return isOk ? choice("success", "ok") : choice("error", "fail", "failed");
    if (isOk) return name === "message" ? text(message) : undefined;
    if (name === "{field}" || within.includes("{field}")) return text(message);
    return errorFact(name, formats, error, message);
  };
}

function errorFact(
  name: string,
  formats: readonly string[],
  { cause, field }: NonNullable<EnvelopeFacts["error"]>,
  message: string,
): Fact | undefined {
  if (/^(field|param|parameter|property|pointer)$/.test(name)) return text(field || "field");
  if (/(^|_)(message|error|detail|details|title|reason|description|msg|errors)$/.test(name)) {
    return text(formats.length === 1 && formats[0] === "token" ? cause : message);
  }
  return /^(code|type|error_code|error_type|kind)$/.test(name) ? text(cause) : undefined;
}

/** The names of links to other pages, for lists that were never seen with another page. */
const isLink = (name: string): boolean => /^(next|prev|previous)(_(page_)?(url|link))?$/.test(name);

/** Where the addresses of a list begin. */
export interface PageFacts {
  readonly page: Page;
  readonly count: number;
  readonly address: string;
  /** The number of the first page: 0 or 1. */
  readonly firstPage: number;
  readonly pageName: string;
}

/** Looks up the fields beside a list. */
export function pageLookup({ page, count, address, firstPage, pageName }: PageFacts): Lookup {
  const { size, offset, total } = page;
  const pages = Math.max(Math.ceil(total / Math.max(size, 1)), 1);
  const hasMore = offset + count < total;
  const hasPrevious = offset > 0;
  const number = page.page - 1 + firstPage;
  const link = (one: number) => value(`${address}?${pageName}=${one}`);
  return ({ name, types, formats }) => {
    const isUrl =
      formats.includes("url") || (formats.length === 0 && types[0] === "null" && isLink(name));
    const step = (there: boolean, one: number, cursor: number): Fact => {
      if (!there) return value(null);
      if (isUrl) return link(one);
      const isNumber = types.includes("number") || /_page$/.test(name);
      return isNumber ? value(one) : value(cursorOf(cursor));
    };
    switch (fieldRole(name)) {
      case "page":
        return value(number);
      case "size":
        return value(size);
      case "offset":
        return value(offset);
      case "total":
        return value(total);
      case "pages":
        return value(pages);
      case "from":
        return value(count === 0 ? null : offset + 1);
      case "to":
        return value(count === 0 ? null : offset + count);
      case "count":
        return value(count);
      case "more":
        return value(hasMore);
      case "nextPage":
      case "nextCursor":
      case "nextUrl":
        return step(hasMore, number + 1, offset + size);
      case "previous":
        return step(hasPrevious, number - 1, Math.max(offset - size, 0));
      case undefined:
        break;
    }
    if (name === "number") return value(number);
    if (name === "number_of_elements") return value(count);
    if (name === "empty") return value(count === 0);
    if (name === "first") return types[0] === "boolean" ? value(!hasPrevious) : link(firstPage);
    if (name === "last")
      return types[0] === "boolean" ? value(!hasMore) : link(pages - 1 + firstPage);
    if (name === "path" && isUrl) return value(address);
    return undefined;
  };
}

/** The text of a cursor: it holds where the page begins. */
const cursorOf = (offset: number): string => `cursor_${offset}`;

/** Where a cursor begins; 0 for a text that is not one. */
export const offsetOfCursor = (cursor: string | null): number =>
  Number(/^cursor_(\d{1,9})$/.exec(cursor ?? "")?.[1] ?? 0);
