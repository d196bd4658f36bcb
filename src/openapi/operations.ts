import { ENDPOINTS, type Endpoint, type EndpointName } from "../contract/endpoints.ts";
import { ENDPOINT_NOTES } from "./endpoint-notes.ts";
import { ENDPOINT_EXAMPLES } from "./examples.ts";
import { type Json, undocumented } from "./fields.ts";
import { schemaName, schemaRef } from "./schemas.ts";

/** The title of each namespace of the client. */
const TAGS: Readonly<Record<string, string>> = {
  merchant: "Merchant",
  payments: "Payments",
  mobileMoney: "Mobile money",
  webhooks: "Webhooks",
  invoices: "Invoices",
};

export const tags: readonly Json[] = Object.values(TAGS).map((name) => ({ name }));

const findTag = (name: EndpointName) => TAGS[name.split(".")[0] ?? ""] ?? name;

/** `mobileMoneyInitiate` for `mobileMoney.initiate`. */
const operationId = (name: EndpointName) =>
  name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

const jsonContent = (schema: Json, example: unknown): Json => ({
  content: { "application/json": { schema, example } },
});

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

function requestBody(name: EndpointName, endpoint: Endpoint): Json | undefined {
  if (endpoint.request === undefined) return undefined;
  const notes = ENDPOINT_NOTES[name];
  const isUndocumented = notes.undocumented.includes("request");
  const schema = schemaRef(schemaName(endpoint.request) ?? notes.requestSchema);
  return {
    required: !isUndocumented,
    ...jsonContent(isUndocumented ? undocumented(schema) : schema, ENDPOINT_EXAMPLES[name].request),
  };
}

function successResponse(name: EndpointName, endpoint: Endpoint): Json {
  const notes = ENDPOINT_NOTES[name];
  const { data: example, meta } = ENDPOINT_EXAMPLES[name];
  const item = schemaRef(schemaName(endpoint.response) ?? notes.dataSchema);
  const data = endpoint.list ? { type: "array", items: item } : item;
  const schema = {
    type: "object",
    properties: {
      success: { type: "boolean", description: "Whether the request succeeded." },
      data: notes.undocumented.includes("response") ? undocumented(data) : data,
      ...(endpoint.list && {
        meta: undocumented({ type: "object", description: "Paging fields." }),
      }),
      error: { type: "string", description: "Error text." },
    },
    ...(endpoint.requiredFields && { required: ["data"] }),
  };
  const body = { success: true, data: example, ...(meta && { meta }) };
  return { description: "The request succeeded.", ...jsonContent(schema, body) };
}

function operation(name: EndpointName, endpoint: Endpoint): Json {
  const { summary, undocumented: undocumentedParts } = ENDPOINT_NOTES[name];
  const isPaged = undocumentedParts.includes("query");
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
    tags: [findTag(name)],
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
