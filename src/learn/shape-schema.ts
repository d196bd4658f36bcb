import type { Json } from "../openapi/fields.ts";
import type { Place } from "../profile/place.ts";

const FORMATS: Readonly<Record<string, Json>> = {
  iso8601: { format: "date-time" },
  date: { format: "date" },
  uuid: { format: "uuid" },
  url: { format: "uri" },
  email: { format: "email" },
  decimal2: { pattern: "^-?\\d+\\.\\d{2}$" },
  decimal: { pattern: "^-?\\d+\\.\\d+$" },
};

/** A place as JSON Schema. A field that was always there is required. */
export function schemaOf(place: Place | undefined): Json {
  if (place === undefined) return {};
  const types = place.types
    .filter((type) => type !== "text" && type !== "empty")
    .sort()
    .map((type) => (type === "number" && place.formats.join() === "integer" ? "integer" : type));
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...textKeywords(place),
    ...(types.includes("object") && objectKeywords(place)),
    ...(types.includes("array") && { items: schemaOf(place.item) }),
  };
}

function textKeywords({ types, formats, values }: Place): Json {
  const isOne = types.includes("string") && formats.length === 1;
  // Not an enum: the service may have further ones.
  return {
    ...(isOne && FORMATS[formats[0] ?? ""]),
    ...(values.length > 0 && { examples: values }),
  };
}

function objectKeywords({ fields }: Place): Json {
  const named = fields.filter(({ key }) => key !== "*" && key !== "{field}");
  const required = named.filter(({ seen, of }) => seen === of).map(({ key }) => key);
  const rest = fields.find((one) => !named.includes(one));
  return {
    properties: Object.fromEntries(named.map((one) => [one.key, schemaOf(one)])),
    ...(required.length > 0 && { required }),
    ...(rest && { additionalProperties: schemaOf(rest) }),
  };
}
