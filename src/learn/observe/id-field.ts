import { isObject } from "../../internal/is-object.ts";
import { isFieldName } from "../../profile/vocabulary/names.ts";

/** The resource that a path names, and its id: `/invoices/7` is the invoice 7. */
const RESOURCES: readonly (readonly [path: RegExp, resource: string])[] = [
  [/^\/payments\/([^/]+)$/, "payment"],
  [/^\/invoices\/([^/]+)(?:\/send)?$/, "invoice"],
  [/^\/webhooks\/([^/]+)$/, "webhook"],
];

const MAX_DEPTH = 4;

function findName(value: unknown, id: string, depth: number): string | undefined {
  if (!isObject(value) || depth > MAX_DEPTH) return undefined;
  const entries = Object.entries(value);
  const found = entries.find(
    ([name, one]) => isFieldName(name) && typeof one !== "object" && String(one) === id,
  );
  if (found !== undefined) return found[0];
  for (const [, one] of entries) {
    const inner = findName(one, id, depth + 1);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The field of a response that holds the id in the path of its request. */
export function findIdInResponse(
  path: string,
  body: unknown,
): { readonly resource: string; readonly field: string } | undefined {
  for (const [pattern, resource] of RESOURCES) {
    const [, id] = pattern.exec(path) ?? [];
    if (id === undefined) continue;
    const field = findName(body, decodeURIComponent(id), 0);
    if (field !== undefined) return { resource, field };
  }
  return undefined;
}
