import { byText } from "../profile/counts.ts";
import { presenceOf } from "../profile/paths.ts";
import type {
  HeaderShape,
  ListFacts,
  ResponseShape,
  ServiceProfile,
  Shape,
} from "../profile/types.ts";

/** A place at which two profiles differ in shape. */
export interface Difference {
  /** `GET /payments 200 data[].status`, `refusals no_key`, `payment.completed data.fee`. */
  readonly path: string;
  /** What the first profile says; `undefined`: it does not know the place. */
  readonly before: string | undefined;
  /** What the second profile says; `undefined`: it does not know the place. */
  readonly after: string | undefined;
}

/** A profile as places and what they say, without counts. */
type Places = Map<string, string>;

function addShape(places: Places, at: string, shape: Shape): void {
  for (const [path, { types, formats = [], values = [] }] of Object.entries(shape)) {
    const { seen, of } = presenceOf(shape, path);
    const isOptional = seen < of && !/(?:\*|\{field\})$/.test(path);
    const parts = [
      Object.keys(types).sort(byText).join(" or "),
      formats.length > 0 ? `(${formats.join(", ")})` : "",
      values.length > 0 ? `one of ${values.join(", ")}` : "",
      isOptional ? "optional" : "",
    ];
    places.set(`${at} ${path}`, parts.filter((part) => part !== "").join(" "));
  }
}

function addHeaders(
  places: Places,
  at: string,
  headers: { readonly [name: string]: HeaderShape },
): void {
  for (const [name, { values = [] }] of Object.entries(headers)) {
    places.set(`${at} header ${name}`, values.length > 0 ? values.join(", ") : "there");
  }
}

function addResponses(
  places: Places,
  at: string,
  byStatus: { readonly [status: string]: ResponseShape },
): void {
  for (const [status, { headers, body }] of Object.entries(byStatus)) {
    places.set(`${at} ${status}`, "seen");
    addHeaders(places, `${at} ${status}`, headers);
    addShape(places, `${at} ${status}`, body);
  }
}

function addList(places: Places, endpoint: string, facts: ListFacts): void {
  const at = `${endpoint} list`;
  for (const [name, { works }] of Object.entries(facts.parameters ?? {})) {
    places.set(`${at} ?${name}`, works === undefined ? "no effect" : "works");
  }
  for (const name of ["defaultSizes", "clampedSizes", "firstPages"] as const) {
    const sizes = facts[name];
    if (sizes !== undefined) places.set(`${at} ${name}`, sizes.join(", "));
  }
  if (facts.order !== undefined) {
    places.set(`${at} order`, Object.keys(facts.order).sort(byText).join(" or "));
  }
}

function placesOf(profile: ServiceProfile): Places {
  const places: Places = new Map();
  for (const [endpoint, byStatus] of Object.entries(profile.endpoints)) {
    addResponses(places, endpoint, byStatus);
  }
  for (const [cause, byStatus = {}] of Object.entries(profile.refusals)) {
    addResponses(places, `refusals ${cause}`, byStatus);
  }
  for (const [endpoint, facts] of Object.entries(profile.lists)) addList(places, endpoint, facts);
  for (const [kind, { body }] of Object.entries(profile.events)) {
    places.set(kind, "seen");
    addShape(places, kind, body);
  }
  const { headers, signaturePrefixes, redeliveries } = profile.deliveries;
  addHeaders(places, "deliveries", headers);
  for (const prefix of Object.keys(signaturePrefixes)) {
    places.set(`deliveries signature prefix ${prefix}`, "seen");
  }
  for (const [number, { gaps }] of Object.entries(redeliveries)) {
    const seconds = Object.keys(gaps).sort((a, b) => Number(a) - Number(b));
    places.set(`deliveries redelivery ${number}`, `after ${seconds.join(" or ")} s`);
  }
  for (const form of Object.keys(profile.timestamps)) places.set(`timestamps ${form}`, "seen");
  return places;
}

/**
 * Where two profiles differ in shape. Counts do not matter, nor do runs.
 *
 * @example
 * ```ts
 * for (const { path, before, after } of diffProfiles(old, now)) console.log(path, before, after);
 * ```
 */
export function diffProfiles(a: ServiceProfile, b: ServiceProfile): Difference[] {
  const [before, after] = [placesOf(a), placesOf(b)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort(byText);
  return paths
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((one) => one.before !== one.after);
}
