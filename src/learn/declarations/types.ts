import type { Place } from "../../profile/place.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { type Learned, learnedEvents, learnedResources } from "./sources.ts";

const SCALARS = ["string", "number", "boolean", "null"];

/** The type of a place as TypeScript, such as `string | null` or `{ id: string }[]`. */
function typeAt(place: Place | undefined, indent: string): string {
  const types = (place?.types ?? []).filter((type) => type !== "text" && type !== "empty").sort();
  // An object that was only ever null may hold anything.
  if (place === undefined || types.length === 0 || types.join() === "null") return "unknown";
  const parts = types.map((type) => {
    if (type === "object") return objectType(place, indent);
    if (type === "array") return arrayType(place, indent);
    return type === "string" ? textType(place) : type;
  });
  return parts.sort((a, b) => SCALARS.indexOf(a) - SCALARS.indexOf(b)).join(" | ");
}

/** Further values may follow: `string & {}` keeps the completion of the known ones. */
const textType = ({ values }: Place): string =>
  values.length === 0
    ? "string"
    : [...values.map((value) => JSON.stringify(value)), "(string & {})"].join(" | ");

function arrayType({ item }: Place, indent: string): string {
  const type = typeAt(item, indent);
  return /^\w+$/.test(type) ? `${type}[]` : `(${type})[]`;
}

function objectType({ fields }: Place, indent: string): string {
  const lines = fieldLines(fields, `${indent}  `);
  return lines.length === 0 ? "{ [field: string]: unknown }" : `{\n${lines.join("\n")}\n${indent}}`;
}

const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

/** The fields of an object, as lines of an interface. */
function fieldLines(fields: readonly Place[], indent: string): string[] {
  const named = fields.filter(({ key }) => key !== "{field}");
  return named.map((place) => {
    const { key, seen, of } = place;
    const type = typeAt(place, indent);
    // Every field beside it would have to have its type.
    if (key === "*") return `${indent}[key: string]: ${named.length > 1 ? "unknown" : type};`;
    const formats = place.formats.filter((format) => !["text", "true", "false"].includes(format));
    const note = [`${seen} of ${of}`, ...formats].join(", ");
    const property = `${propertyName(key)}${seen < of ? "?" : ""}: ${type};`;
    return `${indent}/** Seen ${note}. */\n${indent}${property}`;
  });
}

const HEADER = `// Learned from your service. Written by \`npx malipo learn types\`: do not edit it, learn again.
// A field that was not always there is optional.`;

function moduleText(module: string, learned: readonly Learned[]): string[] {
  const interfaces = learned.flatMap(({ name, fields }) => {
    const lines = fieldLines(fields, "    ");
    return lines.length === 0 ? [] : [`  interface ${name} {\n${lines.join("\n")}\n  }`];
  });
  if (interfaces.length === 0) return [];
  return [`import "${module}";\n\ndeclare module "${module}" {\n${interfaces.join("\n\n")}\n}`];
}

/**
 * What was learned of a service as TypeScript: the text of `malipo.service.d.ts`, which widens
 * `Merchant`, `Invoice`, `Payment` and the others, as `npx malipo learn types` writes it.
 */
export function typesOf(profile: ServiceProfile): string {
  const modules = [
    ...moduleText("malipo", learnedResources(profile)),
    ...moduleText("malipo/webhooks", learnedEvents(profile)),
  ];
  // Without an import or an export, a file would replace the modules that it names.
  return `${[HEADER, ...(modules.length > 0 ? modules : ["export {};"])].join("\n\n")}\n`;
}
