import { isObject } from "../internal/is-object.ts";
import { fieldPath, itemPath, ROOT } from "./paths.ts";
import type { Shape } from "./types.ts";

type Draft = Record<string, { types: Record<string, Record<string, number>>; values?: string[] }>;

const RUN = "now";
const MAX_ITEMS = 200;
const MAX_DEPTH = 8;

/** The shape of one body, to be compared with a learned one. It is never written to a profile. */
export function bodyShape(body: unknown): Shape {
  const shape: Draft = Object.create(null);
  const add = (path: string, value: unknown, depth: number): void => {
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    shape[path] ??= { types: {} };
    const field = shape[path];
    field.types[type] ??= { [RUN]: 0 };
    const counts = field.types[type];
    counts[RUN] = (counts[RUN] ?? 0) + 1;
    if (typeof value === "string" && !field.values?.includes(value)) {
      field.values = [...(field.values ?? []), value];
    }
    if (depth >= MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_ITEMS)) add(itemPath(path), item, depth + 1);
    } else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) add(fieldPath(path, name), one, depth + 1);
    }
  };
  if (body === undefined) shape[ROOT] = { types: { empty: { [RUN]: 1 } } };
  else add(ROOT, body, 0);
  return shape;
}
