import { ENDPOINTS, type Endpoint, type EndpointName } from "../contract/endpoints.ts";
import { ROW_EXAMPLES } from "./examples.ts";
import { type Json, open } from "./fields.ts";
import { ROWS } from "./rows.ts";
import { nameOf, ref } from "./schemas.ts";

const SCOPES_OF_NO_ROW: readonly string[] = [];

/** `mobileMoney.initiate`: `mobileMoneyInitiate`. */
const idOf = (name: string) => name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

const TAGS: Readonly<Record<string, string>> = {
  merchant: "Merchant",
  payments: "Payments",
  mobileMoney: "Mobile money",
  webhooks: "Webhooks",
  invoices: "Invoices",
};

const tagOf = (name: string) => TAGS[name.split(".")[0] ?? ""] ?? name;

export const tags: readonly Json[] = Object.values(TAGS).map((name) => ({ name }));

const jsonOf = (schema: Json, example: unknown): Json => ({
  content: { "application/json": { schema, example } },
});

function parametersOf({ path }: Endpoint, isQueryOpen: boolean): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    ...names.map((name) => ({
      name,
      in: "path",
      required: true,
      // The type of a webhook's and of an invoice's identifier is not shown; in a path it is text.
      schema: name === "reference" ? { type: "string" } : open({ type: "string" }),
    })),
    ...(isQueryOpen
      ? ["Page", "PerPage"].map((name) => ({ $ref: `#/components/parameters/${name}` }))
      : []),
  ];
}

function answerOf(name: EndpointName, row: Endpoint): Json {
  const { open: unshown, data: openData = "" } = ROWS[name];
  const { data: example, meta } = ROW_EXAMPLES[name];
  const one = ref(nameOf(row.response) ?? openData);
  const data = row.list ? { type: "array", items: one } : one;
  const schema = {
    type: "object",
    properties: {
      success: { type: "boolean", description: "Outcome flag." },
      data: unshown.includes("response") ? open(data) : data,
      ...(row.list && { meta: open({ type: "object", description: "How to page." }) }),
      error: { type: "string", description: "Error text." },
    },
    ...(row.requiredFields && { required: ["data"] }),
  };
  const body = { success: true, data: example, ...(meta && { meta }) };
  return { description: "Done.", ...jsonOf(schema, body) };
}

function requestOf(name: EndpointName, row: Endpoint): Json | undefined {
  if (row.request === undefined) return undefined;
  const { open: unshown, request: openRequest = "" } = ROWS[name];
  const schema = ref(nameOf(row.request) ?? openRequest);
  const isOpen = unshown.includes("request");
  return {
    required: !isOpen,
    ...jsonOf(isOpen ? open(schema) : schema, ROW_EXAMPLES[name].request),
  };
}

/** One endpoint. */
function operationOf(name: EndpointName, row: Endpoint): Json {
  const { summary, open: unshown } = ROWS[name];
  const parameters = parametersOf(row, unshown.includes("query"));
  const requestBody = requestOf(name, row);
  const scopes = row.scope === undefined ? SCOPES_OF_NO_ROW : [row.scope];
  return {
    operationId: idOf(name),
    summary,
    ...(unshown.length > 0 && {
      description: `Not shown by the interface: its ${unshown.join(" and its ")}.`,
    }),
    tags: [tagOf(name)],
    security: [{ apiKey: scopes }, { bearer: scopes }],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      "2XX": answerOf(name, row),
      default: { $ref: "#/components/responses/Failure" },
    },
    "x-call": `gateway.${name}`,
    "x-scope": row.scope ?? null,
    "x-keys": row.keys,
    "x-effect": row.effect,
    ...(unshown.length > 0 && { "x-open": unshown }),
  };
}

/** Every path with its operations. */
export function paths(): Json {
  const all: Record<string, Record<string, Json>> = {};
  for (const [name, row] of Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]) {
    all[row.path] = { ...all[row.path], [row.method.toLowerCase()]: operationOf(name, row) };
  }
  return all;
}
