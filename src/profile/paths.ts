import { total } from "./merge.ts";
import type { Shape } from "./profile-types.ts";

/** The path of a whole body. */
export const ROOT = "$";

/** The path of a field of the object at `parent`. */
export const fieldPath = (parent: string, name: string): string =>
  parent === ROOT ? name : `${parent}.${name}`;

/** The path of the items of the list at `list`. */
export const itemPath = (list: string): string => (list === ROOT ? "[]" : `${list}[]`);

/** The path of the object or the list that holds `path`; `undefined` for the whole body. */
export function parentPath(path: string): string | undefined {
  if (path === ROOT) return undefined;
  if (path.endsWith("[]")) return path.slice(0, -2) || ROOT;
  const dot = path.lastIndexOf(".");
  return dot === -1 ? ROOT : path.slice(0, dot);
}

/** The last name of a path: `amount` for `data[].amount`. */
export const lastName = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

/** The names of the fields that the object at `path` had, sorted. */
export function childrenOf(shape: Shape, path: string): string[] {
  return Object.keys(shape)
    .filter((one) => one !== ROOT && !one.endsWith("[]") && parentPath(one) === path)
    .map(lastName);
}

/** Whether there was an object, or a list, at this path. */
export const hasType = (shape: Shape, path: string, type: string): boolean =>
  shape[path]?.types[type] !== undefined;

/** What is at a place and below it, as a separate shape. */
export function shapeAt(shape: Shape, root: string): Shape {
  if (root === ROOT) return shape;
  const rebased = Object.entries(shape).flatMap(([path, field]) => {
    if (path === root) return [[ROOT, field] as const];
    const rest = path.startsWith(root) ? path.slice(root.length) : "";
    if (rest.startsWith(".")) return [[rest.slice(1), field] as const];
    return rest.startsWith("[]") ? [[rest, field] as const] : [];
  });
  return Object.fromEntries(rebased);
}

/** How often a field was there, and how often its parent was. An item of a list is always there. */
export function presenceOf(shape: Shape, path: string): { seen: number; of: number } {
  const seen = Object.values(shape[path]?.types ?? {}).reduce((sum, one) => sum + total(one), 0);
  const parent = parentPath(path);
  if (parent === undefined || path.endsWith("[]")) return { seen, of: seen };
  return { seen, of: total(shape[parent]?.types.object) };
}

/** What usually holds the items of a list, the most usual first. */
const LIST_NAMES = [
  ...["data", "items", "results", "records", "rows", "list", "entries", "content", "docs"],
  ...["payments", "invoices", "webhooks", "payment_accounts", "accounts", "result", "values"],
];

/** The path of the list in the response of a list: `$`, `data`, `data.items`. */
export function findListPath(shape: Shape): string | undefined {
  if (hasType(shape, ROOT, "array")) return ROOT;
  const rank = (path: string) => {
    const known = LIST_NAMES.indexOf(lastName(path));
    const isOfObjects = !(itemPath(path) in shape) || hasType(shape, itemPath(path), "object");
    const depth = path.split(".").length;
    return (isOfObjects ? 0 : 10_000) + (known === -1 ? 1_000 : known) + depth * 100;
  };
  return Object.keys(shape)
    .filter((path) => !path.includes("[]") && hasType(shape, path, "array"))
    .sort((a, b) => rank(a) - rank(b))[0];
}

/** What usually holds a resource in a response, the most usual first. */
const WRAPPERS = [
  ...["data", "result", "response", "payload", "content", "item", "record", "payment"],
  ...["invoice", "webhook", "merchant", "account", "subscription", "transaction", "attributes"],
  ...["phone", "validation", "payment_account"],
];

/** What stands beside a resource, and holds none. */
const BESIDE = /^_|^(?:meta|metadata|links?|lines|status|errors?|details|settings|pagination)$/i;

/** A body with more fields than this beside an object is a resource itself. */
const MAX_ENVELOPE_FIELDS = 5;

/** What a resource repeats of a request, and an envelope does not. */
const SENT: ReadonlySet<string> = new Set(["amount", "minor", "phone", "account_reference"]);

/** The path of the resource in the response of a read or a write: `$`, `data`, `data.payment`. */
export function findResourcePath(shape: Shape): string {
  let path = ROOT;
  for (let depth = 0; depth < 3; depth++) {
    const names = childrenOf(shape, path);
    const objects = names.filter((name) => hasType(shape, fieldPath(path, name), "object"));
    const others = objects.filter((name) => !BESIDE.test(name));
    const wrapper =
      WRAPPERS.map((known) => objects.find((name) => name.toLowerCase() === known)).find(Boolean) ??
      (others.length === 1 ? others[0] : undefined);
    const isResource = names.some(
      (name) => isIdName(name) || shape[fieldPath(path, name)]?.same?.some((one) => SENT.has(one)),
    );
    const isEnvelope = names.length <= MAX_ENVELOPE_FIELDS && !isResource;
    if (wrapper === undefined || !(isEnvelope || (path === ROOT && wrapper === "data"))) break;
    path = fieldPath(path, wrapper);
  }
  return path;
}

/** Whether a field is the id of something. The id of a request is part of an envelope. */
export const isIdName = (name: string): boolean =>
  /(?:^|_)(?:id|uuid|reference|number)$|[a-z](?:Id|ID|Uuid|Reference|Number)$/.test(name) &&
  !/^(?:request|trace|correlation)_?id$/i.test(name);
