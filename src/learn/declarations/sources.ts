import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import { ENDPOINT_NOTES } from "../../openapi/endpoint-notes.ts";
import { EVENT_SCHEMAS, eventSchemaName } from "../../openapi/events.ts";
import { DOCUMENT_SCHEMAS, schemaName } from "../../openapi/schemas.ts";
import { mergeValues } from "../../profile/merge.ts";
import { findListPath, hasType, itemPath, ROOT } from "../../profile/paths.ts";
import { endpointKey, findSuccess } from "../../profile/read.ts";
import type { ServiceProfile, Shape } from "../../profile/types.ts";
import { add } from "../observe/facts.ts";

/** An interface of the package that users widen, as a service was seen to fill it. */
export interface Learned {
  readonly name: string;
  readonly shape: Shape;
  /** The fields that the package declares itself: an interface cannot declare them a second time. */
  readonly declared: readonly string[];
}

type ObjectSchema = { readonly properties?: Readonly<Record<string, unknown>> } | undefined;

const fieldsOf = (schema: unknown): string[] =>
  Object.keys((schema as ObjectSchema)?.properties ?? {});

/** Resources that the OpenAPI document shows as another one, and that have an interface of their own. */
const OWN_INTERFACES: Readonly<Partial<Record<EndpointName, string>>> = {
  "payments.initiate": "InitiatedPayment",
  "mobileMoney.status": "MobileMoneyStatus",
};

function interfaceOf(name: EndpointName): string | undefined {
  const { response }: Endpoint = ENDPOINTS[name];
  const found = ENDPOINT_NOTES[name].data ?? (response && schemaName(response));
  return OWN_INTERFACES[name] ?? (found === "Deletion" ? undefined : found);
}

/** What is at a place and below it, as a separate shape. */
function shapeAt(shape: Shape, root: string): Shape {
  if (root === ROOT) return shape;
  const rebased = Object.entries(shape).flatMap(([path, field]) => {
    const rest = path.startsWith(root) ? path.slice(root.length) : undefined;
    if (rest === undefined || !/^(?:$|\.|\[\])/.test(rest)) return [];
    return [[rest.replace(/^\./, "") || ROOT, field] as const];
  });
  return Object.fromEntries(rebased);
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
    shape: mergeValues(shape, shape),
    declared: fieldsOf(DOCUMENT_SCHEMAS[name]),
  }));
}

/** The interfaces of `malipo/webhooks`: `data` of each kind of event. */
export const learnedEvents = (profile: ServiceProfile): Learned[] =>
  EVENT_KINDS.flatMap((kind) => {
    const body = profile.events[kind]?.body;
    if (body === undefined) return [];
    const name = eventSchemaName(kind);
    const { properties } = Object(EVENT_SCHEMAS[name]) as { properties: { data: unknown } };
    return [
      {
        name: name.replace(/Event$/, "Data"),
        shape: shapeAt(body, "data"),
        declared: fieldsOf(properties.data),
      },
    ];
  });
