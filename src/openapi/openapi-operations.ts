import { ENDPOINTS, type Endpoint, type EndpointName } from "../contract/endpoints.ts";
import type { SchemaName } from "../contract/schemas.ts";
import { ENDPOINT_NOTES } from "./endpoint-notes.ts";
import { exampleOf, type Json, jsonContent, undocumented } from "./field-schemas.ts";
import { DOCUMENT_SCHEMAS, schemaName, schemaRef } from "./schemas.ts";

/** The namespace of the client, as a title: `Mobile money` for `mobileMoney.initiate`. */
const tagOf = (name: string): string =>
  name
    .replace(/\..*/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());

export const tags: readonly Json[] = [...new Set(Object.keys(ENDPOINTS).map(tagOf))].map(
  (name) => ({ name }),
);

/** `mobileMoneyInitiate` for `mobileMoney.initiate`. */
const operationId = (name: EndpointName) =>
  name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

function pathParameters({ path }: Endpoint): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({
    name,
    in: "path",
    required: true,
    // The service documents no type for the identifiers of webhooks and invoices.
    schema: name === "reference" ? { type: "string" } : undocumented({ type: "string" }),
  }));
}

const pageParameters = (): Json[] =>
  ["Page", "PerPage"].map((name) => ({ $ref: `#/components/parameters/${name}` }));

/** The parts that the service does not document. */
function findUndocumented(name: EndpointName, endpoint: Endpoint): string[] {
  const { request, isPaged } = ENDPOINT_NOTES[name];
  const parts = {
    scope: endpoint.scope === undefined,
    query: isPaged,
    request: request !== undefined,
    response: endpoint.requiredFields === undefined,
  };
  return Object.entries(parts).flatMap(([part, isUndocumented]) => (isUndocumented ? [part] : []));
}

const contractName = (name: SchemaName | undefined) => name && schemaName(name);

function requestBody(name: EndpointName, endpoint: Endpoint): Json | undefined {
  const { request } = ENDPOINT_NOTES[name];
  const schema = request ?? contractName(endpoint.request);
  if (schema === undefined) return undefined;
  const ref = schemaRef(schema);
  return {
    required: request === undefined,
    ...jsonContent(
      request === undefined ? ref : undocumented(ref),
      exampleOf(DOCUMENT_SCHEMAS[schema]),
    ),
  };
}

function successResponse(name: EndpointName, endpoint: Endpoint): Json {
  const { list, response, requiredFields } = endpoint;
  const notes = ENDPOINT_NOTES[name];
  const schema = contractName(response) ?? notes.data ?? "";
  const item = schemaRef(schema);
  const data = list ? { type: "array", items: item } : item;
  const properties = {
    success: { type: "boolean", description: "Whether the request succeeded." },
    data: requiredFields ? data : undocumented(data),
    ...(list && { meta: undocumented({ type: "object", description: "Paging fields." }) }),
    error: { type: "string", description: "Error text." },
  };
  const example = { ...Object(exampleOf(DOCUMENT_SCHEMAS[schema])), ...notes.example };
  const body = list
    ? { success: true, data: [example], meta: { page: 1, per_page: 20, total: 1 } }
    : { success: true, data: example };
  return {
    description: "The request succeeded.",
    ...jsonContent(
      { type: "object", properties, ...(requiredFields && { required: ["data"] }) },
      body,
    ),
  };
}

function operation(name: EndpointName, endpoint: Endpoint): Json {
  const { summary, isPaged } = ENDPOINT_NOTES[name];
  const undocumentedParts = findUndocumented(name, endpoint);
  const parameters = [...pathParameters(endpoint), ...(isPaged ? pageParameters() : [])];
  const body = requestBody(name, endpoint);
  const scopes = endpoint.scope === undefined ? [] : [endpoint.scope];
  return {
    operationId: operationId(name),
    summary,
    ...(undocumentedParts.length > 0 && {
      description: `The service does not document its ${undocumentedParts.join(" and its ")}.`,
      "x-undocumented": undocumentedParts,
    }),
    tags: [tagOf(name)],
    security: [{ apiKey: scopes }, { bearer: scopes }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      "2XX": successResponse(name, endpoint),
      default: { $ref: "#/components/responses/Failure" },
    },
    "x-call": `gateway.${name}`,
    "x-scope": endpoint.scope ?? null,
    "x-keys": endpoint.keys,
    "x-effect": endpoint.effect,
  };
}

/** Every path of the service with its operations. */
export function paths(): Json {
  const byPath: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]) {
    const { path, method } = endpoint;
    byPath[path] = { ...byPath[path], [method.toLowerCase()]: operation(name, endpoint) };
  }
  return byPath;
}
