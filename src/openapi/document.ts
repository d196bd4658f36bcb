import { SCOPES } from "../contract/endpoints.ts";
import { EVENT_KINDS, type EventKind } from "../contract/events.ts";
import { KEY_PREFIXES } from "../contract/keys.ts";
import { eventName } from "./event-schemas.ts";
import { eventExample } from "./examples.ts";
import { type Json, open } from "./fields.ts";
import { paths, tags } from "./operations.ts";
import { ref, schemas } from "./schemas.ts";

const ABOUT = `Mobile-money payments: prompts on a customer's phone (STK push), their state, invoices, and signed webhooks.

The service documents its interface in part. What it leaves open carries \`x-open\`, and is shown as the sandbox has it: do not lean on it. Status codes are not shown, so that a success is \`2XX\`, and all else is \`default\`.

\`x-keys\` names the kinds of key that an operation takes, \`x-scope\` the permission that the key must hold, \`x-effect\` what sending twice does: a \`read\` changes nothing, an \`idempotent\` write ends in the same state, a \`create\` happens twice.`;

const KEY_KINDS = Object.entries(KEY_PREFIXES).map(([kind, prefix]) => `\`${prefix}\` ${kind}`);

const securitySchemes: Json = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: `An API key: ${KEY_KINDS.join(", ")}.`,
    "x-key-prefixes": KEY_PREFIXES,
    "x-scopes": SCOPES,
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The same key, in the Authorization header.",
    "x-key-prefixes": KEY_PREFIXES,
    "x-scopes": SCOPES,
  },
};

const pageParameter = (name: string, description: string): Json =>
  open({ name, in: "query", schema: { type: "integer", minimum: 1 }, description });

const SIGNATURE: Json = {
  name: "X-Service-Signature",
  in: "header",
  required: true,
  schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
  description:
    "Lowercase hexadecimal HMAC-SHA256 of the raw body, keyed with the webhook signing secret. Compare it in constant time.",
};

const ACKNOWLEDGEMENT: Json = {
  type: "object",
  properties: {
    ResultCode: { type: "integer", description: "0 means received." },
    ResultDesc: { type: "string", description: "The same in words." },
  },
};

const deliveryOf = (kind: EventKind): Json => ({
  post: {
    operationId: `on${eventName(kind)}`,
    summary: kind,
    description: "May come more than once: tell repeats by `reference` or `payment_id`.",
    // The signature is what tells who sends it.
    security: [],
    parameters: [{ $ref: "#/components/parameters/Signature" }],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: ref(eventName(kind)), example: eventExample(kind) },
      },
    },
    responses: {
      "200": {
        description: "Received: it will not be sent again. Process it afterwards.",
        content: {
          "application/json": {
            schema: ref("Acknowledgement"),
            example: { ResultCode: 0, ResultDesc: "Received" },
          },
        },
      },
      "401": { description: "The signature does not match the body." },
    },
  },
});

/**
 * The service as OpenAPI 3.1, from the contract's table.
 *
 * @param baseUrl - Where the service is, its path prefix included.
 */
export function openApiDocument(baseUrl: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Mobile-money payment gateway",
      // The interface shows no version: it is this document's own.
      version: "1.0.0",
      summary: "Payment prompts, invoices and signed webhooks.",
      description: ABOUT,
    },
    servers: [{ url: baseUrl, description: "The sandbox." }],
    tags,
    paths: paths(),
    webhooks: Object.fromEntries(EVENT_KINDS.map((kind) => [kind, deliveryOf(kind)])),
    components: {
      schemas: { ...schemas(), Acknowledgement: ACKNOWLEDGEMENT },
      securitySchemes,
      parameters: {
        Signature: SIGNATURE,
        Page: pageParameter("page", "Which page, from 1."),
        PerPage: pageParameter("per_page", "How many on a page."),
      },
      responses: {
        Failure: {
          description: "Refused, or failed.",
          content: { "application/json": { schema: ref("Failure") } },
        },
      },
    },
  };
}
