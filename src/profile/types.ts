import type { RejectionCause } from "./causes.ts";

/** The version of the format that this release reads and writes. Any other is rejected. */
export const PROFILE_VERSION = 2;

/**
 * How often something was seen, by run: `{ "3f9c2a71": 12 }`. A run is one probe, one proxy, or one
 * observer with its file. Counts of one run only grow, so two files that both know the run have the
 * larger count when they are merged, and the counts of different runs are added by the reader.
 */
export type Counts = { readonly [run: string]: number };

/** What a field of a response may repeat. */
export const KNOWN_NAMES = [
  ...["amount", "minor", "rounded", "phone", "description", "account_reference", "name", "url"],
  ...["id", "reference", "status", "field", "pointer"],
] as const;

export type KnownName = (typeof KNOWN_NAMES)[number];

/**
 * What was seen at one place of a JSON body.
 *
 * A field was there `seen` times of the times that its parent was an object: compare the sum of
 * `types` with `types.object` of the parent, or call `presenceOf`.
 */
export interface FieldShape {
  /**
   * How often it had each type: `string`, `number`, `boolean`, `null`, `object`, `array`. A body that
   * is not JSON has the type `text`, an empty body the type `empty`, both only at `$`.
   */
  readonly types: { readonly [type: string]: Counts };
  /**
   * The formats of its strings and numbers, sorted. Of strings: `empty`, `iso8601`, `datetime` (with a space), `date`, `uuid`,
   * `url`, `email`, `decimal2` ("100.00"), `decimal`, `digits12` (twelve digits; up to 20), `digits`,
   * `hex32` (16 to 128 hexadecimal digits), `token` (one word of letters, digits, `-`, `_`, `.`, `:`),
   * `text`. Of numbers: `integer`, `decimal`. Of booleans: `true`, `false`.
   */
  readonly formats?: readonly string[];
  /** Only of `status`, `event` and `currency` of a resource: the values that were seen, sorted. */
  readonly values?: readonly string[];
  /**
   * What it repeated: a field of the request (`amount`, `description`, `phone`, ...), `minor` (the
   * amount in cents) or `rounded`, the `id` in the path, the `status` of the response, or the `field`
   * that was invalid.
   */
  readonly same?: readonly KnownName[];
  /**
   * What it was in each status of its resource, if that differs: `{ "completed": ["string token"],
   * "failed": ["null"] }`. A status without it: the field was not there.
   */
  readonly states?: { readonly [status: string]: readonly string[] };
}

/**
 * The shape of a JSON body: one row for each place.
 *
 * The whole body is `$`. Below it: `data`, `data.amount`, `data[]` (an item of the list `data`),
 * `data[].id`, `[]` and `[].id` if the body itself is a list. `errors.{field}` stands for a key
 * that is the name of the field which was invalid. `rates.*` stands for keys that are not field
 * names, such as ids.
 */
export type Shape = { readonly [path: string]: FieldShape };

/** A header of responses or deliveries. */
export interface HeaderShape {
  readonly seen: Counts;
  /** The formats of its values, as in a body. */
  readonly formats?: readonly string[];
  /** Only of `content-type`, `retry-after`, `allow`, rate limits and `access-control-allow-origin: *`. */
  readonly values?: readonly string[];
}

/** The responses with one status. */
export interface ResponseShape {
  readonly seen: Counts;
  /** By name, in lower case. */
  readonly headers: { readonly [name: string]: HeaderShape };
  readonly body: Shape;
}

/** The rejections of one cause with one status. */
export interface RejectionShape extends ResponseShape {
  /** The places in which they were seen: by endpoint, such as `GET /payments/{reference}`, or `other`. */
  readonly at: { readonly [endpoint: string]: Counts };
  /** How often it was not a rejection: the service did what was asked. */
  readonly accepted?: Counts;
}

/** What is known of the paging of one list. */
export interface ListPaging {
  /** By the name of the query parameter: how often it had an effect, and how often it had none. */
  readonly parameters?: {
    readonly [name: string]: { readonly works?: Counts; readonly ignored?: Counts };
  };
  /** The page lengths if none was asked for. */
  readonly defaultSizes?: readonly number[];
  /** The largest page length that was asked for and given. */
  readonly largestSize?: number;
  /** Page lengths that were returned if a larger one was asked for. */
  readonly clampedSizes?: readonly number[];
  /** Page lengths that were asked for and rejected. */
  readonly rejectedSizes?: readonly number[];
  /** The number of the page if none was asked for: 0 or 1. */
  readonly firstPages?: readonly number[];
  /** `newest` or `oldest`: which items came first. */
  readonly order?: { readonly [order: string]: Counts };
}

/** What was seen of the deliveries of one kind of event. */
interface EventShape {
  readonly seen: Counts;
  /** The whole body: `event`, `timestamp`, `data` and what is beside them. */
  readonly body: Shape;
}

/** The nth redelivery of an event. */
export interface RedeliveryShape {
  /** Seconds since the delivery before it, rounded, such as `"10"`, `"0.5"` or `"300"`. */
  readonly gaps: { readonly [seconds: string]: Counts };
  /** The status that the receiver returned for the delivery before it. */
  readonly after: { readonly [status: string]: Counts };
}

/** What was seen of all deliveries. */
interface DeliveryShape {
  readonly seen: Counts;
  /** By name, in lower case. */
  readonly headers: { readonly [name: string]: HeaderShape };
  /** What stands before the digits of the signature: `none` or `sha256=`. */
  readonly signaturePrefixes: { readonly [prefix: string]: Counts };
  /** By the number of the redelivery: `"1"` is the second delivery of an event. At most 30. */
  readonly redeliveries: { readonly [number: string]: RedeliveryShape };
}

/** Who learned in a run, and how much. */
interface Run {
  readonly by: readonly string[];
  readonly requests: number;
  readonly deliveries: number;
}

/**
 * What was seen of one payment service: plain JSON, the content of `malipo.service.json`. It reads like
 * a lock file: what the service does comes first, and changes when the service does; how often it was
 * seen stands in `runs`, at its end. Read it with the commands of `malipo learn`.
 *
 * @example
 * ```ts
 * import profile from "./malipo.service.json" with { type: "json" };
 *
 * const sandbox = createSandbox({ profile });
 * const gateway = new Gateway({ profile, hooks: { drift: (drift) => log.warn(drift) } });
 * ```
 */
export interface ProfileFile {
  /** The version of the format. A file of another version is rejected, never changed. */
  readonly version: number;
  readonly [part: string]: unknown;
}

/**
 * A profile in memory, with the counts of each run at their places.
 *
 * It holds shapes, never values: no body, phone, name, amount, reference, id or key. Everything in
 * it is a map, a sorted set or a count that grows, so that two profiles merge by one rule: maps key
 * by key, sets by union, counts by the larger one of the same run.
 */
export interface ServiceProfile {
  /** The version of the format: `PROFILE_VERSION`. A file of another version is rejected, never changed. */
  readonly version: number;
  /** The runs whose counts are in this profile. */
  readonly runs: { readonly [run: string]: Run };
  /**
   * Responses that are not rejections, by endpoint (`GET /payments/{reference}`) and by status.
   * Responses of the service's own failures (5xx) are here too.
   */
  readonly endpoints: { readonly [endpoint: string]: { readonly [status: string]: ResponseShape } };
  /** Rejections, by cause and by status. A rejection may have the status 200, with `success: false`. */
  readonly rejections: {
    readonly [Cause in RejectionCause]?: { readonly [status: string]: RejectionShape };
  };
  /** Paging, by the endpoint of the list. */
  readonly lists: { readonly [endpoint: string]: ListPaging };
  /** By kind of event. */
  readonly events: { readonly [kind: string]: EventShape };
  readonly deliveries: DeliveryShape;
  /** The forms of timestamps, such as `YYYY-MM-DDTHH:mm:ss+03:00` or `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
  readonly timestamps: { readonly [form: string]: Counts };
  /** By kind of key (`public`, `secret`, `sandbox`) and endpoint: how often it may call, and may not. */
  readonly keys: {
    readonly [kind: string]: {
      readonly [endpoint: string]: { readonly allowed?: Counts; readonly rejected?: Counts };
    };
  };
  /** How often a request with an `Origin` was allowed for any origin, and how often it was not. */
  readonly browsers: { readonly allowed?: Counts; readonly rejected?: Counts };
}

/** A profile of nothing. */
export const EMPTY_PROFILE: ServiceProfile = {
  version: PROFILE_VERSION,
  runs: {},
  endpoints: {},
  rejections: {},
  lists: {},
  events: {},
  deliveries: { seen: {}, headers: {}, signaturePrefixes: {}, redeliveries: {} },
  timestamps: {},
  keys: {},
  browsers: {},
};
