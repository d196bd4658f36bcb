import * as z from "zod/mini";
import { REJECTION_CAUSES } from "./causes.ts";
import { KNOWN_NAMES } from "./types.ts";
import { isFormat, isTimestampForm } from "./vocabulary/formats.ts";
import { isHeaderName, isShapePath } from "./vocabulary/names.ts";

const keyed = <Value extends z.ZodMiniType>(
  expected: string,
  isKey: (key: string) => boolean,
  value: Value,
) =>
  z.record(z.string(), value, { error: "expected an object" }).check(
    z.refine((map) => Object.keys(map).every(isKey), {
      error: `expected only ${expected} as keys`,
    }),
  );

const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.array(item, { error: "expected a list" });

const parts = <Parts extends Readonly<Record<string, z.ZodMiniType>>>(shape: Parts) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `expected only ${Object.keys(shape).join(", ")}`
        : "expected an object",
  });

const check = (expected: string, isValid: (text: string) => boolean) =>
  z
    .string({ error: `expected ${expected}` })
    .check(z.refine(isValid, { error: `expected ${expected}` }));

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);
const oneOf = (names: readonly string[]) => (text: string) => names.includes(text);

const whole = z
  .number({ error: "expected a whole number" })
  .check(z.refine((count) => Number.isSafeInteger(count) && count >= 0, "expected a whole number"));

const RUN = /^[\da-f]{8}$/;
const counts = keyed("names of runs, of eight hexadecimal digits,", matches(RUN), whole);

const formats = z.optional(list(check("the name of a format", isFormat)));
const TYPES = ["string", "number", "boolean", "null", "object", "array", "text", "empty"];

/** `null`, `string token`, `number integer`. */
function isKind(kind: string): boolean {
  const [type = "", format] = kind.split(" ");
  return TYPES.includes(type) && (format === undefined || isFormat(format));
}

const field = parts({
  types: keyed(`types (${TYPES.join(", ")})`, oneOf(TYPES), counts),
  formats,
  values: z.optional(
    list(check("a status, a kind of event or a currency", matches(/^[A-Za-z_.]{1,40}$/))),
  ),
  same: z.optional(list(check("the name of a known value", oneOf(KNOWN_NAMES)))),
  states: z.optional(
    keyed("statuses", matches(/^[a-z_.]{1,40}$/), list(check("a type and a format", isKind))),
  ),
});

const shape = keyed("paths, such as data.amount,", isShapePath, field);

const header = parts({
  seen: counts,
  formats,
  values: z.optional(
    list(check("a value of at most 60 characters", matches(/^[\w/;=., *+-]{1,60}$/))),
  ),
});
const headers = keyed("names of headers in lower case", isHeaderName, header);

const response = { seen: counts, headers, body: shape };

const isStatus = matches(/^[1-5]\d\d$/);
const isEndpoint = matches(/^[A-Z]{3,7} \/[\w{}/-]{0,80}$/);
const byStatus = <Value extends z.ZodMiniType>(value: Value) => keyed("statuses", isStatus, value);
const byEndpoint = <Value extends z.ZodMiniType>(value: Value) =>
  keyed("endpoints, such as GET /merchant,", isEndpoint, value);

const rejection = parts({
  ...response,
  at: keyed("endpoints", (key) => key === "other" || isEndpoint(key), counts),
  accepted: z.optional(counts),
});

const sizes = z.optional(list(whole));
const listPaging = parts({
  parameters: z.optional(
    keyed(
      "names of parameters",
      matches(/^[A-Za-z][\w-]{0,30}(?:\[[A-Za-z_]{1,20}\])?$/),
      parts({ works: z.optional(counts), ignored: z.optional(counts) }),
    ),
  ),
  defaultSizes: sizes,
  largestSize: z.optional(whole),
  clampedSizes: sizes,
  rejectedSizes: sizes,
  firstPages: sizes,
  order: z.optional(keyed("newest and oldest", oneOf(["newest", "oldest"]), counts)),
});

const redelivery = parts({
  gaps: keyed("seconds", matches(/^\d{1,8}(?:\.\d{1,3})?$/), counts),
  after: byStatus(counts),
});

/** The schema of the format, with keys and texts from allow lists only. */
export const profileSchema = parts({
  version: whole,
  runs: keyed(
    "names of runs, of eight hexadecimal digits,",
    matches(RUN),
    parts({
      by: list(check("probe, proxy or observer", oneOf(["probe", "proxy", "observer"]))),
      requests: whole,
      deliveries: whole,
    }),
  ),
  endpoints: byEndpoint(byStatus(parts(response))),
  rejections: keyed(
    `causes (${REJECTION_CAUSES.join(", ")})`,
    oneOf(REJECTION_CAUSES),
    byStatus(rejection),
  ),
  lists: byEndpoint(listPaging),
  events: keyed(
    "kinds of events",
    matches(/^[a-z_.]{1,40}$/),
    parts({ seen: counts, body: shape }),
  ),
  deliveries: parts({
    seen: counts,
    headers,
    signaturePrefixes: keyed("none and sha256=", oneOf(["none", "sha256="]), counts),
    redeliveries: keyed("numbers from 1 to 30", matches(/^(?:[1-9]|[12]\d|30)$/), redelivery),
  }),
  timestamps: keyed("forms of timestamps", isTimestampForm, counts),
  keys: keyed(
    "kinds of keys",
    oneOf(["public", "secret", "sandbox"]),
    byEndpoint(parts({ allowed: z.optional(counts), rejected: z.optional(counts) })),
  ),
  browsers: parts({ allowed: z.optional(counts), rejected: z.optional(counts) }),
});
