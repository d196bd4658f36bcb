import { total } from "../../../profile/counts.ts";
import { itemPath, lastName, parentPath, ROOT } from "../../../profile/paths.ts";
import type { Shape } from "../../../profile/types.ts";

/** One place of a body, with what is below it: a shape that can be walked from its root. */
export interface Place {
  readonly path: string;
  /** The name as it is sent. */
  readonly key: string;
  /** The name in snake case, to be looked up. */
  readonly name: string;
  /** Its types, the most usual first. */
  readonly types: readonly string[];
  readonly formats: readonly string[];
  readonly values: readonly string[];
  /** Whether its parent was also seen without it, and how usual it is: 0 to 1. */
  readonly presence: number;
  readonly fields: readonly Place[];
  /** What a list holds. */
  readonly item: Place | undefined;
}

const snakeCase = (key: string): string =>
  key
    .replace(/(?:\[\])+$/, "")
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** How often a place was seen with a type. */
const weight = (types: Shape[string]["types"], type: string): number => total(types[type]);

/**
 * Builds the tree of a shape.
 *
 * @param at - Where it begins.
 * @param rename - Turns a name into that of another thing, where the shape is borrowed from it.
 */
export function toTree(
  shape: Shape,
  at: string = ROOT,
  rename: (key: string) => string = (key) => key,
): Place | undefined {
  if (!(at in shape)) return undefined;
  const children = new Map<string, string[]>();
  for (const path of Object.keys(shape)) {
    const parent = path.endsWith("[]") ? undefined : parentPath(path);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), path]);
  }
  const build = (path: string): Place => {
    const { types = {}, formats = [], values = [] } = shape[path] ?? {};
    const key = rename(lastName(path));
    const seen = Object.keys(types).reduce((sum, type) => sum + weight(types, type), 0);
    const parent = path.endsWith("[]") ? undefined : parentPath(path);
    const of = parent === undefined ? seen : total(shape[parent]?.types.object);
    return {
      path,
      key,
      name: snakeCase(key),
      types: Object.keys(types).sort((a, b) => weight(types, b) - weight(types, a)),
      formats,
      values,
      presence: of === 0 ? 1 : seen / of,
      fields: (children.get(path) ?? []).map(build),
      item: itemPath(path) in shape ? build(itemPath(path)) : undefined,
    };
  };
  return build(at);
}

/** The place at a path of a tree. */
export function placeAt(root: Place, path: string): Place | undefined {
  if (root.path === path) return root;
  for (const field of root.fields) {
    const found = placeAt(field, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
