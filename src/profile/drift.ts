import { isObject } from "../internal/is-object.ts";
import { childrenOf, fieldPath, itemPath, presenceOf, ROOT } from "./paths.ts";
import type { FieldShape, ServiceProfile, Shape } from "./types.ts";
import { isClosedValue } from "./vocabulary/closed-values.ts";

/** A place at which a response differs from what was learned. */
export interface ProfileDrift {
  /** `data.amount`; `status code` for the status of the response. */
  readonly path: string;
  /** What was learned, such as `string or null`. */
  readonly expected: string;
  /** What was received: a type, `nothing`, or a status in quotation marks. */
  readonly received: string;
}

/** The fields of each object of a shape that were always there. */
const alwaysThere = new WeakMap<Shape, Map<string, string[]>>();

function requiredAt(shape: Shape, path: string): string[] {
  const byPath = alwaysThere.get(shape) ?? new Map<string, string[]>();
  alwaysThere.set(shape, byPath);
  const known = byPath.get(path);
  if (known !== undefined) return known;
  const names = childrenOf(shape, path).filter((name) => {
    const { seen, of } = presenceOf(shape, fieldPath(path, name));
    return seen === of && name !== "*";
  });
  byPath.set(path, names);
  return names;
}

const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const typesOf = ({ types }: FieldShape): string => Object.keys(types).join(" or ");

/**
 * Where a response differs from what was learned of its endpoint: a field that was always there is
 * missing, a type or a status was never seen. A new field is not a difference.
 */
export function findProfileDrift(
  profile: ServiceProfile,
  endpoint: string,
  status: number,
  body: unknown,
): ProfileDrift[] {
  const byStatus = profile.endpoints[endpoint];
  if (byStatus === undefined) return [];
  const found: ProfileDrift[] = [];
  const shape = byStatus[status]?.body;
  if (shape !== undefined) compare(shape, ROOT, ROOT, body, found);
  else {
    const known = Object.keys(byStatus).filter((one) => one.startsWith("2"));
    if (known.length > 0 && status < 300) {
      found.push({ path: "status code", expected: known.join(" or "), received: String(status) });
    }
  }
  return found;
}

/** @param shown - The path as it is reported, with the numbers of items. */
function compare(
  shape: Shape,
  path: string,
  shown: string,
  value: unknown,
  found: ProfileDrift[],
): void {
  const field = shape[path];
  if (field === undefined) return;
  const type = value === undefined && path === ROOT ? "empty" : typeName(value);
  if (field.types[type] === undefined) {
    found.push({ path: shown, expected: typesOf(field), received: type });
    return;
  }
  if (typeof value === "string") compareValue(field, shown, value, found);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      compare(shape, itemPath(path), fieldPath(shown, String(index)), item, found);
    }
  }
  if (!isObject(value)) return;
  for (const name of requiredAt(shape, path)) {
    if (value[name] !== undefined) continue;
    const expected = typesOf(shape[fieldPath(path, name)] as FieldShape);
    found.push({ path: fieldPath(shown, name), expected, received: "nothing" });
  }
  for (const [name, one] of Object.entries(value)) {
    compare(shape, fieldPath(path, name), fieldPath(shown, name), one, found);
  }
}

function compareValue(
  { values }: FieldShape,
  path: string,
  value: string,
  found: ProfileDrift[],
): void {
  if (values === undefined || values.length === 0 || values.includes(value)) return;
  const expected = values.map((one) => JSON.stringify(one)).join(" or ");
  found.push({ path, expected, received: isClosedValue(value) ? JSON.stringify(value) : "string" });
}
