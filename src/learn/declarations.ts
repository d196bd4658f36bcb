import { ENDPOINTS, type Endpoint, type EndpointName } from "../contract/endpoints.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import { ENDPOINT_NOTES } from "../openapi/endpoint-notes.ts";
import { EVENT_SCHEMAS, eventSchemaName } from "../openapi/event-schemas.ts";
import { DOCUMENT_SCHEMAS, schemaName } from "../openapi/schemas.ts";
import { mergeValues } from "../profile/merge.ts";
import { findListPath, hasType, itemPath, ROOT, shapeAt } from "../profile/paths.ts";
import { type Place, toTree } from "../profile/place.ts";
import type { ServiceProfile, Shape } from "../profile/profile-types.ts";
import { endpointKey, findSuccess } from "../profile/read.ts";
import { add } from "./observe/additions.ts";

/** An interface of the package that users widen, as a service was seen to fill it. */
interface Learned {
  readonly name: string;
  /** Without those that the package declares itself: an interface cannot declare them a second time. */
  readonly fields: readonly Place[];
}

type ObjectSchema = { readonly properties?: Readonly<Record<string, unknown>> } | undefined;

/** The fields of a shape that the schema of the package does not have. `*`: it takes any other field. */
function furtherFields(shape: Shape, schema: unknown): readonly Place[] {
  const { properties = {} } = (schema as ObjectSchema) ?? {};
  const fields = toTree(shape)?.fields ?? [];
  return fields.filter(({ key }) => key !== "*" && !(key in properties));
}

/** Resources that the OpenAPI document shows as another one, and that have a separate interface. */
const OWN_INTERFACES: Readonly<Partial<Record<EndpointName, string>>> = {
  "payments.initiate": "InitiatedPayment",
  "mobileMoney.status": "MobileMoneyStatus",
};

function interfaceOf(name: EndpointName): string | undefined {
  const { response }: Endpoint = ENDPOINTS[name];
  const found = ENDPOINT_NOTES[name].data ?? (response && schemaName(response));
  return OWN_INTERFACES[name] ?? (found === "Deletion" ? undefined : found);
}

/** The resource in the responses of an endpoint, as the client unwraps it. `undefined`: not seen. */
function resourceAt(profile: ServiceProfile, name: EndpointName): Shape | undefined {
  const body = findSuccess(profile, endpointKey(name))?.response.body ?? {};
  const { list }: Endpoint = ENDPOINTS[name];
  const data = body.data === undefined ? ROOT : "data";
  const root = list ? itemPath(findListPath(body) ?? ROOT) : data;
  return hasType(body, root, "object") ? shapeAt(body, root) : undefined;
}

/** The interfaces of `malipo`, each from all the endpoints that return its resource. */
function learnedResources(profile: ServiceProfile): Learned[] {
  const shapes = new Map<string, Shape>();
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const found = interfaceOf(name);
    const shape = resourceAt(profile, name);
    if (found === undefined || shape === undefined) continue;
    shapes.set(found, add(shapes.get(found) ?? {}, shape));
  }
  return [...shapes].map(([name, shape]) => ({
    name,
    fields: furtherFields(mergeValues(shape, shape), DOCUMENT_SCHEMAS[name]),
  }));
}

/** The interfaces of `malipo/webhooks`: `data` of each kind of event. */
const learnedEvents = (profile: ServiceProfile): Learned[] =>
  EVENT_KINDS.flatMap((kind) => {
    const body = profile.events[kind]?.body;
    if (body === undefined) return [];
    const name = eventSchemaName(kind);
    const { properties } = Object(EVENT_SCHEMAS[name]) as { properties: { data: unknown } };
    const fields = furtherFields(shapeAt(body, "data"), properties.data);
    return [{ name: name.replace(/Event$/, "Data"), fields }];
  });

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
