import { ROOT } from "../../../profile/paths.ts";
import { madeUp } from "./placeholder.ts";
import type { Place } from "./shape-tree.ts";
import { type Fact, type Manner, NOTHING, sayFact } from "./values.ts";

/** What the sandbox knows of a place; `undefined`: nothing, so that a value is made up. */
export type Lookup = (place: Place, within: readonly string[]) => Fact | undefined;

/** What stands at some paths of a body: the resource, the list. */
export type Contents = ReadonlyMap<string, () => unknown>;

const NO_CONTENTS: Contents = new Map();

/** Says a body, or a part of one, in the shape of a place. `NOTHING`: the field is left out. */
export function say(
  place: Place,
  lookup: Lookup,
  manner: Manner,
  contents: Contents = NO_CONTENTS,
  within: readonly string[] = [],
): unknown {
  const content = contents.get(place.path);
  if (content !== undefined) return content();
  // Above a resource there are only objects.
  const holdsContent = [...contents.keys()].some((path) => isBelow(path, place.path));
  if (!holdsContent) {
    const fact = lookup(place, within);
    if (fact !== undefined && fits(fact, place)) return sayKnown(fact, place, manner);
    if (place.presence < 0.5) return NOTHING;
  }
  if (place.types.includes("object") && (holdsContent || place.types[0] === "object")) {
    const inner = place.path === ROOT ? within : [...within, place.name];
    return sayFields(place, lookup, manner, contents, inner);
  }
  if (place.types[0] === "array" && place.item !== undefined) {
    const item = say(place.item, lookup, manner, NO_CONTENTS, within);
    return item === NOTHING ? [] : [item];
  }
  return madeUp(place, manner.seed);
}

/** A field that has the name of a fact may hold an object all the same: `phone: { number }`. */
function fits(fact: Fact, { types: [type] }: Place): boolean {
  if (type !== "object" && type !== "array") return true;
  return fact.kind === "value" && typeof fact.value === "object";
}

const isBelow = (path: string, above: string): boolean =>
  above === ROOT ? path !== ROOT : path.startsWith(`${above}.`);

/** A fact without a value is `null` or left out, as the service does it. */
function sayKnown(fact: Fact, place: Place, manner: Manner): unknown {
  const said = sayFact(fact, place, manner);
  if (said !== NOTHING) return said;
  if (place.types.includes("null")) return null;
  if (place.presence < 1 || fact.kind === "absent") return NOTHING;
  return place.formats.includes("empty") ? "" : madeUp(place, manner.seed);
}

/** Says the fields of an object. `within` names the objects around them, the innermost last. */
export function sayFields(
  place: Place,
  lookup: Lookup,
  manner: Manner,
  contents: Contents = NO_CONTENTS,
  within: readonly string[] = [],
): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (const field of place.fields) {
    const one = say(field, lookup, manner, contents, within);
    if (one !== NOTHING) said[keyOf(field, manner)] = one;
  }
  return said;
}

/** The key of a field; a key that is not the name of a field stands in the shape as `{field}` or `*`. */
function keyOf({ key }: Place, { field }: Manner): string {
  if (key === "{field}") return field || "field";
  return key === "*" ? "sandbox" : key;
}
