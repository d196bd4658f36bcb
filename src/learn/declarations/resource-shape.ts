import { ENDPOINTS, type Endpoint } from "../../contract/endpoints.ts";
import { mergeValues } from "../../profile/merge.ts";
import { hasType, itemPath, ROOT } from "../../profile/paths.ts";
import { findSuccess } from "../../profile/read.ts";
import type { Counts, ServiceProfile, Shape } from "../../profile/types.ts";

const LIST_ENDPOINTS: ReadonlySet<string> = new Set(
  Object.values<Endpoint>(ENDPOINTS)
    .filter(({ list }) => list)
    .map(({ method, path }) => `${method} ${path}`),
);

/** The places in which the client looks for the items of a list. */
const CLIENT_LISTS = [ROOT, "data", "items", "data.data", "data.items"];

/** Where the resource stands in a response, as the client unwraps it. `undefined`: nowhere. */
function unwrappedPath(endpoint: string, body: Shape): string | undefined {
  if (LIST_ENDPOINTS.has(endpoint)) {
    const list = CLIENT_LISTS.find((path) => hasType(body, path, "array"));
    return list === undefined ? undefined : itemPath(list);
  }
  return body.data === undefined ? ROOT : "data";
}

/** What is at a place and below it, as a separate shape. */
export function shapeAt(shape: Shape, root: string): Shape {
  if (root === ROOT) return shape;
  const rebased = Object.entries(shape).flatMap(([path, field]) => {
    if (path === root) return [[ROOT, field] as const];
    if (!path.startsWith(root)) return [];
    const rest = path.slice(root.length);
    if (rest.startsWith(".")) return [[rest.slice(1), field] as const];
    return rest.startsWith("[]") ? [[rest, field] as const] : [];
  });
  return Object.fromEntries(rebased);
}

/** The same shape with separate counts, so that a merge adds them. */
function withCountsOf(shape: Shape, source: string): Shape {
  const rename = (counts: Counts) =>
    Object.fromEntries(Object.entries(counts).map(([run, count]) => [`${run} ${source}`, count]));
  return Object.fromEntries(
    Object.entries(shape).map(([path, field]) => {
      const types = Object.entries(field.types).map(([type, counts]) => [type, rename(counts)]);
      return [path, { ...field, types: Object.fromEntries(types) }];
    }),
  );
}

/** The shape of a resource, from all the endpoints that return it, as the client unwraps it. */
export function resourceShape(profile: ServiceProfile, endpoints: readonly string[]): Shape {
  let shape: Shape = {};
  for (const endpoint of endpoints) {
    const body = findSuccess(profile, endpoint)?.response.body;
    const root = body && unwrappedPath(endpoint, body);
    if (body === undefined || root === undefined || !hasType(body, root, "object")) continue;
    shape = mergeValues(shape, withCountsOf(shapeAt(body, root), endpoint));
  }
  return shape;
}
