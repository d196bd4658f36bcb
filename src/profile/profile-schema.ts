import * as z from "zod/mini";
import { REJECTION_CAUSES } from "./causes.ts";
import { isFormat, isTimestampForm } from "./vocabulary/formats.ts";
import { isBodyResultValue, isHeaderName, isShapePath } from "./vocabulary/names.ts";

// The format of a profile, with keys and texts from allow lists only: it holds shapes, never values. No
// body, phone, name, amount, reference, id or key. Everything in it is a map, a sorted set or a count
// that grows, so that two profiles merge by one rule: maps key by key, sets by union, counts by the
// larger one of the same run.

type Test = RegExp | readonly string[] | ((text: string) => boolean);

const passes = (test: Test, one: string): boolean => {
  if (typeof test === "function") return test(one);
  return test instanceof RegExp ? test.test(one) : test.includes(one);
};

const keyed = <Value extends z.ZodMiniType>(expected: string, isKey: Test, value: Value) =>
  z.record(z.string(), value, { error: "expected an object" }).check(
    z.refine((map) => Object.keys(map).every((key) => passes(isKey, key)), {
      error: `expected only ${expected} as keys`,
    }),
  );

const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.exactOptional(z.array(item, { error: "expected a list" }));

const parts = <Parts extends Readonly<Record<string, z.ZodMiniType>>>(shape: Parts) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `expected only ${Object.keys(shape).join(", ")}`
        : "expected an object",
  });

const text = (expected: string, isValid: Test) =>
  z
    .string({ error: `expected ${expected}` })
    .check(z.refine((one) => passes(isValid, one), { error: `expected ${expected}` }));

const whole = z
  .number({ error: "expected a whole number" })
  .check(z.refine((count) => Number.isSafeInteger(count) && count >= 0, "expected a whole number"));

const byRun = <Value extends z.ZodMiniType>(value: Value) =>
  keyed("names of runs, of eight hexadecimal digits,", /^[\da-f]{8}$/, value);

/**
 * How often something was seen, by run: `{ "3f9c2a71": 12 }`. A run is one probe, one proxy, or one
 * observer with its file. Counts of one run only grow, so two files that both know the run have the
 * larger count when they are merged, and the counts of different runs are added by the reader.
 */
export const counts = byRun(whole);

/** The formats of strings, numbers and booleans, sorted: see `textFormat`. */
const formats = list(text("the name of a format", isFormat));

/** A body that is not JSON has the type `text`, an empty body the type `empty`, both only at `$`. */
const TYPES = ["string", "number", "boolean", "null", "object", "array", "text", "empty"];

/** `null`, `string token`, `number integer`. */
function isKind(kind: string): boolean {
  const [type = "", format] = kind.split(" ");
  return TYPES.includes(type) && (format === undefined || isFormat(format));
}

/** What a field of a response may repeat: `minor` is the amount in cents, `pointer` `/` and the field. */
const KNOWN_NAMES = [
  ...(["amount", "minor", "rounded", "phone", "description", "account_reference", "name"] as const),
  ...(["url", "id", "reference", "status", "field", "pointer"] as const),
];

/**
 * What was seen at one place of a JSON body. A field was there as often as the sum of `types`, of the
 * times that its parent was an object: see `presenceOf`.
 */
export const field = parts({
  types: keyed(`types (${TYPES.join(", ")})`, TYPES, counts),
  formats,
  /** Only of `status`, `event` and `currency` of a resource: the values that were seen, sorted. */
  values: list(text("a status, a kind of event or a currency", /^[A-Za-z_.]{1,40}$/)),
  same: list(z.enum(KNOWN_NAMES, { error: "expected the name of a known value" })),
  /**
   * What it was in each status of its resource, if that differs: `{ "completed": ["string token"],
   * "failed": ["null"] }`. A status without it: the field was not there.
   */
  states: z.exactOptional(
    keyed(
      "statuses",
      /^[a-z_.]{1,40}$/,
      z.array(text("a type and a format", isKind), { error: "expected a list" }),
    ),
  ),
});

/**
 * The shape of a JSON body, one row for each place. The whole body is `$`. Below it: `data`,
 * `data.amount`, `data[]` (an item of the list `data`), `[]` and `[].id` if the body itself is a list.
 * `errors.{field}` stands for a key that is the name of the invalid field, `rates.*` for keys that are
 * not field names, such as ids.
 */
const shape = keyed("paths, such as data.amount,", isShapePath, field);

/** Values only of `content-type`, `retry-after`, `allow`, rate limits and an origin of `*`. */
export const header = parts({
  seen: counts,
  formats,
  values: list(text("a value of at most 60 characters", /^[\w/;=., *+-]{1,60}$/)),
});
const headers = keyed("names of headers in lower case", isHeaderName, header);

const responseParts = { seen: counts, headers, body: shape };
export const response = parts(responseParts);

const isEndpoint = /^[A-Z]{3,7} \/[\w{}/-]{0,80}$/;
const byEndpoint = <Value extends z.ZodMiniType>(value: Value) =>
  keyed("endpoints, such as GET /merchant,", isEndpoint, value);
/** Statuses from 200 on: a response of 100 or 101 is not one that ends a request. */
const byStatus = <Value extends z.ZodMiniType>(value: Value) =>
  keyed("statuses from 200 to 599", /^[2-5]\d\d$/, value);

/** By endpoint, or `other`. `accepted`: how often the service did what was asked. */
export const rejection = parts({
  ...responseParts,
  at: keyed("endpoints", (key) => key === "other" || isEndpoint.test(key), counts),
  accepted: z.exactOptional(counts),
});

const sizes = list(whole);
export const listPaging = parts({
  /** By the name of the query parameter: how often it had an effect, and how often it had none. */
  parameters: z.exactOptional(
    keyed(
      "names of parameters",
      /^[A-Za-z][\w-]{0,30}(?:\[[A-Za-z_]{1,20}\])?$/,
      parts({ works: z.exactOptional(counts), ignored: z.exactOptional(counts) }),
    ),
  ),
  /** The page lengths if none was asked for. */
  defaultSizes: sizes,
  /** The largest page length that was asked for and given. */
  largestSize: z.exactOptional(whole),
  /** Page lengths that were returned if a larger one was asked for. */
  clampedSizes: sizes,
  rejectedSizes: sizes,
  /** The number of the page if none was asked for: 0 or 1. */
  firstPages: sizes,
  /** The longest time until something new was in the list, in milliseconds, rounded up. */
  listedWithinMs: z.exactOptional(whole),
  /** Which items came first. */
  order: z.exactOptional(keyed("newest and oldest", ["newest", "oldest"], counts)),
});

/** Seconds since the delivery before it, and the status that the receiver returned for that one. */
export const redelivery = parts({
  gaps: keyed("seconds", /^\d{1,8}(?:\.\d{1,3})?$/, counts),
  after: byStatus(counts),
});

const bodyResultValues = keyed("values of bodyResults", isBodyResultValue, counts);

const run = parts({
  by: z.array(text("probe, proxy or observer", ["probe", "proxy", "observer"])),
  requests: whole,
  deliveries: whole,
});

export const profileSchema = parts({
  version: whole,
  runs: byRun(run),
  /** What is not a rejection, the service's own failures (5xx) included. */
  endpoints: byEndpoint(byStatus(response)),
  /** By cause. A rejection may have the status 200, with `success: false`. */
  rejections: keyed(
    `causes (${REJECTION_CAUSES.join(", ")})`,
    REJECTION_CAUSES,
    byStatus(rejection),
  ),
  lists: byEndpoint(listPaging),
  /** By kind. The body is the whole one: `event`, `timestamp`, `data` and what is beside them. */
  events: keyed("kinds of events", /^[a-z_.]{1,40}$/, parts({ seen: counts, body: shape })),
  deliveries: parts({
    seen: counts,
    headers,
    /** What stands before the digits of the signature. */
    signaturePrefixes: keyed("none and sha256=", ["none", "sha256="], counts),
    /** `1` is the second delivery of an event. */
    redeliveries: keyed("numbers from 1 to 30", /^(?:[1-9]|[12]\d|30)$/, redelivery),
  }),
  /**
   * In which field the body of a 2xx states whether the service did what was asked, such as
   * `header.statusCode`, and its values: booleans, short numbers, and words that APIs use.
   */
  bodyResults: z.exactOptional(
    keyed(
      "paths, such as header.statusCode,",
      isShapePath,
      parts({
        success: z.exactOptional(bodyResultValues),
        failure: z.exactOptional(bodyResultValues),
      }),
    ),
  ),
  timestamps: keyed("forms of timestamps", isTimestampForm, counts),
  /** How often a kind of key may call an endpoint, and may not. */
  keys: keyed(
    "kinds of keys",
    ["public", "secret", "sandbox"],
    byEndpoint(parts({ allowed: z.exactOptional(counts), rejected: z.exactOptional(counts) })),
  ),
  /** How often a request with an `Origin` was allowed for any origin, and how often it was not. */
  browsers: parts({ allowed: z.exactOptional(counts), rejected: z.exactOptional(counts) }),
});
