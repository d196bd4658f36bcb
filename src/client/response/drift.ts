import type { Endpoint } from "../../contract/endpoints.ts";
import type { Schema } from "../../contract/schema.ts";
import { SCHEMAS } from "../../contract/schemas.ts";
import { isObject } from "../../internal/is-object.ts";
import { compareShapes, DRIFT } from "../../profile/compare-shapes.ts";
import { fieldPath, itemPath, ROOT } from "../../profile/paths.ts";
import type { ServiceProfile, Shape } from "../../profile/profile-types.ts";
import { callHook, type DriftView, type GatewayHooks } from "../hooks.ts";

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function findDrift(endpoint: string, { response, list }: Endpoint, data: unknown): DriftView[] {
  const items = list === undefined ? [data] : (data as unknown[]);
  return items.flatMap((item, index) => {
    const checked = response && (SCHEMAS[response] as Schema).safeParse(item);
    if (checked === undefined || checked.success) return [];
    return checked.error.issues.map(({ path, message }) => ({
      endpoint,
      path: ["data", ...(list === undefined ? [] : [index]), ...path].map(String).join("."),
      expected: message.replace(/^expected /, ""),
      received: typeName(path.reduce<unknown>((value, name) => Object(value)[name], item)),
    }));
  });
}

/** A place at which a response differs from what was learned. */
interface ProfileDrift {
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
function findProfileDrift(
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

/** Tells the `drift` hook what differs from the contract, and from what was learned of the service. */
export interface DriftReporter {
  /** @param data - What was found in the envelope. */
  contract(name: string, endpoint: Endpoint, data: unknown): void;
  profile(name: string, status: number, body: unknown): void;
}

/** @param profile - What was learned of the service. */
export function driftReporter(
  { drift }: GatewayHooks,
  profile: ServiceProfile | undefined,
): DriftReporter {
  const notify = (views: Iterable<DriftView>) => {
    for (const view of views) callHook(drift, () => view);
  };
  return {
    contract: (name, endpoint, data) => notify(findDrift(name, endpoint, data)),
    profile: (name, status, body) => {
      if (profile === undefined) return;
      const found = findProfileDrift(profile, name, status, body);
      notify(found.map((one) => ({ endpoint: name, ...one })));
    },
  };
}
