import { ROOT } from "../../../profile/paths.ts";
import { placeholder } from "./placeholder.ts";
import { inState, type Place } from "./shape-tree.ts";
import { type Format, type Known, OMIT, writeKnown } from "./values.ts";

/** What the sandbox knows of a place; `undefined`: nothing but its shape. */
export type Lookup = (place: Place, within: readonly string[]) => Known | undefined;

/** How a body is written. */
export interface Writer {
  readonly lookup: Lookup;
  readonly format: Format;
  /** What stands at some paths of a body: the resource, the list. */
  readonly contents?: ReadonlyMap<string, () => unknown>;
  /** The status of the resource: its places are as they were in this status. */
  readonly state?: string | undefined;
}

/** Writes a body, or a part of one, in the shape of a place. `OMIT`: the field is left out. */
export function write(given: Place, writer: Writer, within: readonly string[] = []): unknown {
  const { lookup, format, contents, state } = writer;
  const content = contents?.get(given.path);
  if (content !== undefined) return content();
  const place = inState(given, state);
  const holdsContent = [...(contents?.keys() ?? [])].some((path) => isBelow(path, place.path));
  if (!holdsContent) {
    const known = lookup(place, within);
    const isSent = known?.kind === "sent" && known.value !== null;
    if (place.presence === 0 && !isSent) return OMIT;
    if (known !== undefined && fits(known, place)) {
      return writeKnown(known, isSent ? given : place, format);
    }
    if (place.presence < 0.5) return OMIT;
  }
  if (place.types.includes("object") && (holdsContent || place.types[0] === "object")) {
    return writeFields(place, writer, place.path === ROOT ? within : [...within, place.name]);
  }
  if (place.types[0] === "array" && place.item !== undefined) {
    const item = write(place.item, writer, within);
    return item === OMIT ? [] : [item];
  }
  return placeholder(place, format.seed);
}

/** A field that has the name of a known value may hold an object all the same: `phone: { number }`. */
function fits(known: Known, { types: [type] }: Place): boolean {
  if (type !== "object" && type !== "array") return true;
  return known.kind === "absent" || (known.kind === "sent" && typeof known.value === "object");
}

const isBelow = (path: string, above: string): boolean =>
  above === ROOT ? path !== ROOT : path.startsWith(`${above}.`);

/** Writes the fields of an object. `within` names the objects around them, the innermost last. */
export function writeFields(
  place: Place,
  writer: Writer,
  within: readonly string[] = [],
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of place.fields) {
    const value = write(field, writer, within);
    if (value !== OMIT) body[keyOf(field, writer.format)] = value;
  }
  return body;
}

/** The key of a field; a key that is not the name of a field stands in the shape as `{field}` or `*`. */
function keyOf({ key }: Place, { field }: Format): string {
  if (key === "{field}") return field || "field";
  return key === "*" ? "sandbox" : key;
}
