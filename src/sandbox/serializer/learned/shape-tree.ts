import { total } from "../../../profile/counts.ts";
import { itemPath, lastName, parentPath, ROOT } from "../../../profile/paths.ts";
import type { FieldShape, Shape } from "../../../profile/types.ts";
import { withoutBrackets } from "../../../profile/vocabulary/names.ts";

/** One place of a body, with what is below it: a shape that can be walked from its root. */
export interface Place extends Pick<FieldShape, "states"> {
  readonly path: string;
  /** The name as it is sent. */
  readonly key: string;
  /** The name in snake case, to be looked up. */
  readonly name: string;
  /** Its types, the most usual first. */
  readonly types: readonly string[];
  readonly formats: readonly string[];
  readonly values: readonly string[];
  readonly same: readonly string[];
  /** How usual it is in its parent: 0 to 1. */
  readonly presence: number;
  readonly fields: readonly Place[];
  /** What a list holds. */
  readonly item: Place | undefined;
}

const snakeCase = (key: string): string =>
  withoutBrackets(key)
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/**
 * Builds the tree of a shape.
 *
 * @param rename - Turns a name into that of another resource, if the shape is borrowed from it.
 */
export function toTree(
  shape: Shape,
  rename: (key: string) => string = (key) => key,
): Place | undefined {
  if (!(ROOT in shape)) return undefined;
  const children = new Map<string, string[]>();
  for (const path of Object.keys(shape)) {
    const parent = path.endsWith("[]") ? undefined : parentPath(path);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), path]);
  }
  const build = (path: string): Place => {
    const { types = {}, formats = [], values = [], same = [], states } = shape[path] ?? {};
    const key = rename(lastName(path));
    const seen = Object.values(types).reduce((sum, counts) => sum + total(counts), 0);
    const parent = path.endsWith("[]") ? undefined : parentPath(path);
    const of = parent === undefined ? seen : total(shape[parent]?.types.object);
    return {
      path,
      key,
      name: snakeCase(key),
      types: Object.keys(types).sort((a, b) => total(types[b]) - total(types[a])),
      formats,
      values,
      same,
      ...(states && { states }),
      presence: of === 0 ? 1 : seen / of,
      fields: (children.get(path) ?? []).map(build),
      item: itemPath(path) in shape ? build(itemPath(path)) : undefined,
    };
  };
  return build(ROOT);
}

/** The first place in a tree, from its root down, for which a condition holds. */
export function findPlace(root: Place, matches: (place: Place) => boolean): Place | undefined {
  let level: readonly Place[] = [root];
  while (level.length > 0) {
    const found = level.find(matches);
    if (found !== undefined) return found;
    level = level.flatMap(({ fields, item }) => (item ? [...fields, item] : fields));
  }
  return undefined;
}

export const placeAt = (root: Place, path: string): Place | undefined =>
  findPlace(root, (place) => place.path === path);

/** A place as it is in one status of its resource. */
export function inState(place: Place, state: string | undefined): Place {
  const { states } = place;
  if (states === undefined || state === undefined) return place;
  const kinds = (states[state] ?? []).map((kind) => kind.split(" "));
  const { states: _, ...rest } = place;
  return {
    ...rest,
    types: [...new Set(kinds.map(([type = ""]) => type))],
    formats: kinds.flatMap(([, format]) => format ?? []),
    presence: kinds.length === 0 ? 0 : 1,
  };
}
