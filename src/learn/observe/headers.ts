import type { Counts, HeaderShape } from "../../profile/types.ts";
import { textFormat } from "../../profile/vocabulary/formats.ts";
import { isHeaderName } from "../../profile/vocabulary/names.ts";
import type { HeaderEntries } from "../exchange.ts";
import { add } from "./additions.ts";

const METHOD = "(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)";

/** The only headers whose values are stored, and the only values. */
const STORED: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^content-type$/,
    /^(?:application\/(?:json|problem\+json|vnd\.api\+json|hal\+json|xml)|text\/(?:html|plain|xml))(?:; ?charset=(?:utf-8|us-ascii|iso-8859-1))?$/i,
  ],
  [/^retry-after$/, /^\d{1,5}$/],
  [/^allow$/, new RegExp(`^${METHOD}(?:, ?${METHOD})*$`)],
  [/^(?:x-)?rate-?limit-limit$/, /^\d{1,7}$/],
  [/^access-control-allow-origin$/, /^\*$/],
];

/** The names of headers, the formats of their values, and the few values that may be stored. */
export function headersOf(entries: HeaderEntries, one: Counts): Record<string, HeaderShape> {
  const headers: Record<string, HeaderShape> = {};
  for (const [given, value] of entries) {
    const name = given.toLowerCase();
    if (!isHeaderName(name)) continue;
    const isStored = STORED.some(([names, values]) => names.test(name) && values.test(value));
    const header = {
      seen: one,
      formats: [textFormat(value)],
      ...(isStored && { values: [value] }),
    };
    add(headers, { [name]: header });
  }
  return headers;
}
