import type { Json } from "../openapi/fields.ts";
import { childrenOf, fieldPath, itemPath, presenceOf, ROOT } from "../profile/paths.ts";
import type { FieldShape, Shape } from "../profile/types.ts";

const FORMATS: Readonly<Record<string, Json>> = {
  iso8601: { format: "date-time" },
  date: { format: "date" },
  uuid: { format: "uuid" },
  url: { format: "uri" },
  email: { format: "email" },
  decimal2: { pattern: "^-?\\d+\\.\\d{2}$" },
  decimal: { pattern: "^-?\\d+\\.\\d+$" },
};

/** A place of a shape as JSON Schema. A field that was always there is required. */
export function schemaOf(shape: Shape, path: string = ROOT): Json {
  const field = shape[path];
  if (field === undefined) return {};
  const types = Object.keys(field.types).flatMap((type) => {
    if (type === "number") return field.formats?.join() === "integer" ? ["integer"] : ["number"];
    return type === "text" || type === "empty" ? [] : [type];
  });
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...textKeywords(field),
    ...(types.includes("object") && objectKeywords(shape, path)),
    ...(types.includes("array") && { items: schemaOf(shape, itemPath(path)) }),
  };
}

function textKeywords({ types, formats = [], values = [] }: FieldShape): Json {
  const [format = "", ...others] = types.string === undefined ? [] : formats;
  const keywords = others.length === 0 ? FORMATS[format] : undefined;
  // Not an enum: the service may have further ones.
  return { ...keywords, ...(values.length > 0 && { examples: values }) };
}

function objectKeywords(shape: Shape, path: string): Json {
  const names = childrenOf(shape, path).filter((name) => name !== "*" && name !== "{field}");
  const properties = names.map((name) => [name, schemaOf(shape, fieldPath(path, name))]);
  const required = names.filter((name) => {
    const { seen, of } = presenceOf(shape, fieldPath(path, name));
    return seen === of;
  });
  const rest = ["*", "{field}"].find((name) => shape[fieldPath(path, name)] !== undefined);
  return {
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(rest && { additionalProperties: schemaOf(shape, fieldPath(path, rest)) }),
  };
}
