import { childrenOf, fieldPath, itemPath, presenceOf } from "../../profile/paths.ts";
import type { FieldShape, Shape } from "../../profile/types.ts";

const SCALARS = ["string", "number", "boolean", "null"];

/** The type of the place as TypeScript, such as `string | null` or `{ id: string }[]`. */
function typeAt(shape: Shape, path: string, indent: string): string {
  const field = shape[path];
  if (field === undefined) return "unknown";
  const types = Object.keys(field.types).filter((type) => type !== "text" && type !== "empty");
  const parts = types.map((type) => {
    if (type === "object") return objectType(shape, path, indent);
    if (type === "array") return arrayType(shape, path, indent);
    return type === "string" ? textType(field) : type;
  });
  // An object that was only ever null may hold anything.
  if (types.length === 0 || parts.join() === "null") return "unknown";
  return parts.sort((a, b) => SCALARS.indexOf(a) - SCALARS.indexOf(b)).join(" | ");
}

/** Further values may follow: `string & {}` keeps the completion of the known ones. */
const textType = ({ values = [] }: FieldShape): string =>
  values.length === 0
    ? "string"
    : [...values.map((value) => JSON.stringify(value)), "(string & {})"].join(" | ");

function arrayType(shape: Shape, path: string, indent: string): string {
  const item = typeAt(shape, itemPath(path), indent);
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

function objectType(shape: Shape, path: string, indent: string): string {
  const lines = fieldLines(shape, path, `${indent}  `, []);
  return lines.length === 0 ? "{ [field: string]: unknown }" : `{\n${lines.join("\n")}\n${indent}}`;
}

const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

/** The fields of the object at a path, as lines of an interface. */
export function fieldLines(
  shape: Shape,
  path: string,
  indent: string,
  declared: readonly string[],
): string[] {
  const names = childrenOf(shape, path).filter((name) => name !== "{field}");
  return names
    .filter((name) => !declared.includes(name))
    .map((name) => {
      const at = fieldPath(path, name);
      const type = typeAt(shape, at, indent);
      // Every field beside it would have to have its type.
      if (name === "*") return `${indent}[key: string]: ${names.length > 1 ? "unknown" : type};`;
      const { seen, of } = presenceOf(shape, at);
      const formats =
        shape[at]?.formats?.filter((format) => !["text", "true", "false"].includes(format)) ?? [];
      const note = [`${seen} of ${of}`, ...formats].join(", ");
      const property = `${propertyName(name)}${seen < of ? "?" : ""}: ${type};`;
      return `${indent}/** Seen ${note}. */\n${indent}${property}`;
    });
}
