import type * as z from "zod/mini";
import type { RejectionCause } from "./causes.ts";
import type * as schema from "./profile-schema.ts";

/** The version of the format that this release reads and writes. Any other is rejected. */
export const PROFILE_VERSION = 2;

type DeepReadonly<Part> = Part extends object
  ? { readonly [Key in keyof Part]: DeepReadonly<Part[Key]> }
  : Part;

type Part<Schema extends z.ZodMiniType> = DeepReadonly<z.infer<Schema>>;

export type Counts = Part<typeof schema.counts>;
export type FieldShape = Part<typeof schema.field>;
/** What a field of a response may repeat. */
export type KnownName = NonNullable<FieldShape["same"]>[number];
export type Shape = Readonly<Record<string, FieldShape>>;
export type HeaderShape = Part<typeof schema.header>;
export type ResponseShape = Part<typeof schema.response>;
export type RejectionShape = Part<typeof schema.rejection>;
export type ListPaging = Part<typeof schema.listPaging>;
export type RedeliveryShape = Part<typeof schema.redelivery>;
type Rejections = Readonly<
  Partial<Record<RejectionCause, { readonly [status: string]: RejectionShape }>>
>;

/** A profile in memory, with the counts of each run at their places: see `profileSchema`. */
export interface ServiceProfile extends Omit<Part<typeof schema.profileSchema>, "rejections"> {
  readonly rejections: Rejections;
}

export type DeliveryShape = ServiceProfile["deliveries"];

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
