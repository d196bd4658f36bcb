import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import { ENDPOINT_NOTES } from "../../openapi/endpoint-notes.ts";
import { EVENT_SCHEMAS, eventSchemaName } from "../../openapi/events.ts";
import { DOCUMENT_SCHEMAS, schemaName } from "../../openapi/schemas.ts";
import { mergeValues } from "../../profile/merge.ts";
import { findListPath, hasType, itemPath, ROOT, shapeAt } from "../../profile/paths.ts";
import { type Place, toTree } from "../../profile/place.ts";
import { endpointKey, findSuccess } from "../../profile/read.ts";
import type { ServiceProfile, Shape } from "../../profile/types.ts";
import { add } from "../observe/additions.ts";

/** An interface of the package that users widen, as a service was seen to fill it. */
export interface Learned {
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
export function learnedResources(profile: ServiceProfile): Learned[] {
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
export const learnedEvents = (profile: ServiceProfile): Learned[] =>
  EVENT_KINDS.flatMap((kind) => {
    const body = profile.events[kind]?.body;
    if (body === undefined) return [];
    const name = eventSchemaName(kind);
    const { properties } = Object(EVENT_SCHEMAS[name]) as { properties: { data: unknown } };
    const fields = furtherFields(shapeAt(body, "data"), properties.data);
    return [{ name: name.replace(/Event$/, "Data"), fields }];
  });
