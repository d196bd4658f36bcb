import type { HeaderShape } from "../../profile/types.ts";
import { textFormat } from "../../profile/vocabulary/formats.ts";
import { isHeaderName } from "../../profile/vocabulary/names.ts";
import type { HeaderEntries } from "../exchange.ts";
import { addTo, at, count, type Draft } from "./draft.ts";

export type DraftHeaders = { [name: string]: Draft<HeaderShape> };

/** Headers of the connection and of proxies: they tell nothing about the service. */
const IGNORED =
  /^(?:connection|keep-alive|transfer-encoding|content-length|date|host|te|trailer|upgrade|via|accept|accept-.+|user-agent|content-encoding|forwarded|x-forwarded-.+|x-real-ip|cf-.+|x-amz.*|cdn-loop|server|set-cookie|cookie|authorization|age|alt-svc|etag|last-modified|report-to|nel|sec-.+|traceparent|tracestate|expect)$/;

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

const MAX_HEADERS = 80;
const MAX_VALUES = 6;

/** Adds the names of headers, the formats of their values, and the few values that may be stored. */
export function addHeaders(headers: DraftHeaders, entries: HeaderEntries, run: string): void {
  for (const [given, value] of entries) {
    const name = given.toLowerCase();
    if (IGNORED.test(name) || !isHeaderName(name)) continue;
    if (!Object.hasOwn(headers, name) && Object.keys(headers).length >= MAX_HEADERS) continue;
    const header = at<Draft<HeaderShape>>(headers, name, () => ({ seen: {} }));
    count(header.seen, run);
    header.formats = addTo(header.formats ?? [], textFormat(value), MAX_VALUES);
    if (STORED.some(([names, values]) => names.test(name) && values.test(value))) {
      header.values = addTo(header.values ?? [], value, MAX_VALUES);
    }
  }
}
