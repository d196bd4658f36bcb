import { ROOT } from "../../../profile/paths.ts";
import { inState, type Place } from "../../../profile/place.ts";
import { placeholder } from "./placeholder.ts";
import { type Format, type Known, OMIT, writeKnown } from "./values.ts";

/** What the sandbox knows of a place; `undefined`: nothing but its shape. */
export type Lookup = (place: Place) => Known | undefined;

/** How a body is written. */
interface Writer {
  readonly lookup: Lookup;
  readonly format: Format;
  /** What stands at a path of the body: the resource or the list. */
  readonly content?: { readonly at: string; readonly value: unknown };
  /** The status of the resource: its places are as they were in this status. */
  readonly state?: string | undefined;
}

const isBelow = (path: string, above: string): boolean =>
  above === ROOT ? path !== ROOT : path.startsWith(`${above}.`);

/** Writes a body, or a part of one, in the shape of a place. `OMIT`: the field is left out. */
export function write(given: Place, writer: Writer): unknown {
  const { lookup, format, content, state } = writer;
  if (content?.at === given.path) return content.value;
  const place = inState(given, state);
  const { types, presence, item, path } = place;
  const holdsContent = content !== undefined && isBelow(content.at, path);
  if (!holdsContent) {
    const known = lookup(place);
    const isSent = known != null && "sent" in known && known.sent !== null;
    if (presence === 0 && !isSent) return OMIT;
    if (known !== undefined && fits(known, place)) {
      return writeKnown(known, isSent ? given : place, format);
    }
    if (presence < 0.5 && known === undefined) return OMIT;
  }
  if (types[0] === "object" || (holdsContent && types.includes("object"))) {
    return writeFields(place, writer);
  }
  if (types[0] !== "array" || item === undefined) return placeholder(place, format.seed);
  const one = write(item, writer);
  return one === OMIT ? [] : [one];
}

/** A field that has the name of a known value may hold an object all the same: `phone: { number }`. */
function fits(known: Known, { types: [type] }: Place): boolean {
  if (type !== "object" && type !== "array") return true;
  return known === null || ("sent" in known && typeof known.sent === "object");
}

/** Writes the fields of an object. */
export function writeFields({ fields }: Place, writer: Writer): Record<string, unknown> {
  // A key that is not the name of a field stands in the shape as `{field}` or `*`.
  const keys: Readonly<Record<string, string>> = {
    "{field}": writer.format.field || "field",
    "*": "sandbox",
  };
  const written = fields.map((one) => [keys[one.key] ?? one.key, write(one, writer)]);
  return Object.fromEntries(written.filter(([, value]) => value !== OMIT));
}
