import { total } from "./merge.ts";
import { childrenOf, fieldPath, itemPath, lastName, presenceOf, ROOT } from "./paths.ts";
import type { FieldShape, Shape } from "./profile-types.ts";
import { withoutBrackets, wordsOf } from "./vocabulary/names.ts";

/** One place of a body, with what is below it: a shape that can be walked from its root. */
export interface Place extends Pick<FieldShape, "states"> {
  readonly path: string;
  /** The name as it is sent. */
  readonly key: string;
  /** The name in snake case, to be looked up. */
  readonly name: string;
  /** The name of the object around it. `undefined`: the body itself. */
  readonly parent: string | undefined;
  /** Its types, the most usual first. */
  readonly types: readonly string[];
  readonly formats: readonly string[];
  readonly values: readonly string[];
  readonly same: readonly string[];
  /** How often it was there, of the times that its parent was. */
  readonly seen: number;
  readonly of: number;
  /** The same as a share: 0 to 1. */
  readonly presence: number;
  readonly fields: readonly Place[];
  /** What a list holds. */
  readonly item: Place | undefined;
}

/**
 * Builds the tree of a shape.
 *
 * @param rename - Turns a name into that of another resource, if the shape is borrowed from it.
 */
export function toTree(shape: Shape, rename = (key: string) => key): Place | undefined {
  const build = (path: string, parent?: string): Place => {
    const { types = {}, formats = [], values = [], same = [], states } = shape[path] ?? {};
    const key = rename(lastName(path));
    const name = wordsOf(withoutBrackets(key)).join("_");
    const around = path === ROOT ? undefined : name;
    const { seen, of } = presenceOf(shape, path);
    return {
      path,
      key,
      name,
      parent,
      types: Object.keys(types).sort((a, b) => total(types[b]) - total(types[a])),
      formats,
      values,
      same,
      ...(states && { states }),
      seen,
      of,
      presence: of === 0 ? 1 : seen / of,
      fields: childrenOf(shape, path).map((one) => build(fieldPath(path, one), around)),
      item: itemPath(path) in shape ? build(itemPath(path), parent) : undefined,
    };
  };
  return ROOT in shape ? build(ROOT) : undefined;
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

/** A place as it is in one status of its resource. */
export function inState(place: Place, state: string | undefined): Place {
  const { states, ...rest } = place;
  if (states === undefined || state === undefined) return place;
  const kinds = (states[state] ?? []).map((kind) => kind.split(" "));
  return {
    ...rest,
    types: [...new Set(kinds.map(([type = ""]) => type))],
    formats: kinds.flatMap(([, format]) => format ?? []),
    presence: kinds.length === 0 ? 0 : 1,
  };
}
