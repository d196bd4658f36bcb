import { SCOPES } from "../contract/endpoints.ts";
import { EVENT_KINDS, type EventKind } from "../contract/events.ts";
import { KEY_PREFIXES } from "../contract/keys.ts";
import { eventExample, eventSchemaName } from "./event-schemas.ts";
import { type Json, jsonContent, undocumented } from "./field-schemas.ts";
import { paths, tags } from "./openapi-operations.ts";
import { DOCUMENT_SCHEMAS, schemaRef } from "./schemas.ts";

const DESCRIPTION = `Mobile-money payments: payment prompts on a customer's phone (STK push), payment status, invoices, and signed webhooks.

The service documents only a part of its interface. What it does not document is marked \`x-undocumented\`. This document shows it as the sandbox does it: the service may differ. The service does not document its status codes, so a success is \`2XX\` and every other response is \`default\`.

\`x-keys\` lists the kinds of API key that may call an operation. \`x-scope\` is the scope that the key needs. \`x-effect\` says what happens if a request is sent twice: a \`read\` changes nothing, an \`idempotent\` write leaves the same state as one request, a \`create\` takes effect twice.`;

const KEY_KINDS = Object.entries(KEY_PREFIXES).map(([kind, prefix]) => `\`${prefix}\` ${kind}`);

const KEY = { "x-key-prefixes": KEY_PREFIXES, "x-scopes": SCOPES };

const securitySchemes: Json = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: `An API key: ${KEY_KINDS.join(", ")}.`,
    ...KEY,
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The same API key, in the Authorization header.",
    ...KEY,
  },
};

const pageParameter = (name: string, description: string): Json =>
  undocumented({ name, in: "query", schema: { type: "integer", minimum: 1 }, description });

const SIGNATURE: Json = {
  name: "X-Service-Signature",
  in: "header",
  required: true,
  schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
  description:
    "Lowercase hexadecimal HMAC-SHA256 of the raw body, with the webhook signing secret as its key. Compare it in constant time.",
};

const ACKNOWLEDGEMENT: Json = {
  type: "object",
  properties: {
    ResultCode: { type: "integer", description: "0 means received." },
    ResultDesc: { type: "string", description: "The result as a text." },
  },
};

/** The delivery of one kind of event, as an operation of the receiver. */
function webhookOperation(kind: EventKind): Json {
  const name = eventSchemaName(kind);
  return {
    operationId: `on${name}`,
    summary: kind,
    description: "May be delivered more than once: find duplicates by `reference` or `payment_id`.",
    // The signature authenticates the sender.
    security: [],
    parameters: [{ $ref: "#/components/parameters/Signature" }],
    requestBody: { required: true, ...jsonContent(schemaRef(name), eventExample(kind)) },
    responses: {
      "200": {
        description:
          "Received: the service does not deliver it again. Process it after the response.",
        ...jsonContent(schemaRef("Acknowledgement"), { ResultCode: 0, ResultDesc: "Received" }),
      },
      "401": { description: "The signature does not match the body." },
    },
  };
}

/**
 * Builds the OpenAPI 3.1 document of the service from the contract's table of endpoints.
 *
 * @param baseUrl - The base URL of the service, with its path prefix.
 */
export function openApiDocument(baseUrl: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Mobile-money payment gateway",
      // The service documents no version. This is the version of this document.
      version: "1.0.0",
      summary: "Payment prompts, invoices and signed webhooks.",
      description: DESCRIPTION,
    },
    servers: [{ url: baseUrl, description: "The sandbox." }],
    tags,
    paths: paths(),
    webhooks: Object.fromEntries(
      EVENT_KINDS.map((kind) => [kind, { post: webhookOperation(kind) }]),
    ),
    components: {
      schemas: { ...DOCUMENT_SCHEMAS, Acknowledgement: ACKNOWLEDGEMENT },
      securitySchemes,
      parameters: {
        Signature: SIGNATURE,
        Page: pageParameter("page", "Page number, from 1."),
        PerPage: pageParameter("per_page", "Number of items on a page."),
      },
      responses: {
        Failure: {
          description: "The request was rejected, or it failed.",
          ...jsonContent(schemaRef("Failure")),
        },
      },
    },
  };
}
