import { isObject } from "../internal/is-object.ts";
import { compareShapes, DRIFT } from "./compare-shapes.ts";
import { fieldPath, itemPath, ROOT } from "./paths.ts";
import type { ServiceProfile, Shape } from "./types.ts";

/** A place at which a response differs from what was learned. */
export interface ProfileDrift {
  /** `data.amount`; `status code` for the status of the response. */
  readonly path: string;
  /** What was learned, such as `string or null`. */
  readonly expected: string;
  /** What was received: a type, `nothing`, or a status in quotes. */
  readonly received: string;
}

const MAX_ITEMS = 200;
const MAX_DEPTH = 8;

/** The shape of one body, to be compared with a learned one. It is never written to a profile. */
function shapeOf(body: unknown): Shape {
  const shape: Record<string, { types: Record<string, { now: number }>; values: string[] }> =
    Object.create(null);
  const add = (path: string, value: unknown, depth: number): void => {
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    shape[path] ??= { types: {}, values: [] };
    const { types, values } = shape[path];
    types[type] = { now: (types[type]?.now ?? 0) + 1 };
    if (typeof value === "string" && !values.includes(value)) values.push(value);
    if (depth >= MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_ITEMS)) add(itemPath(path), item, depth + 1);
    } else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) add(fieldPath(path, name), one, depth + 1);
    }
  };
  if (body === undefined) return { [ROOT]: { types: { empty: { now: 1 } } } };
  add(ROOT, body, 0);
  return shape;
}

/** A received text is shown only if it is a word, as statuses are. */
const shown = (text: string): string =>
  text.startsWith('"') && !/^"[a-z_.]{1,40}"$/.test(text) ? "string" : text;

/**
 * Finds what differs in a response from what was learned of its endpoint: a field that was always there
 * is missing, a type or a status was never seen. A new field is not a difference.
 */
export function findProfileDrift(
  profile: ServiceProfile,
  endpoint: string,
  status: number,
  body: unknown,
): ProfileDrift[] {
  const byStatus = profile.endpoints[endpoint] ?? {};
  const shape = byStatus[status]?.body;
  if (shape === undefined) {
    const known = Object.keys(byStatus).filter((one) => one.startsWith("2"));
    return known.length > 0 && status < 300
      ? [{ path: "status code", expected: known.join(" or "), received: String(status) }]
      : [];
  }
  return compareShapes(shape, shapeOf(body), DRIFT).map(({ path, before = "", after }) => ({
    path,
    expected: before,
    received: after === undefined ? "nothing" : shown(after),
  }));
}
