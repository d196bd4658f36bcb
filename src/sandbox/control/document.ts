import { COMMANDS, CONTROL_PREFIX, type CommandName } from "./commands.ts";
import { BODY_EXAMPLES } from "./examples.ts";
import { QUERIES } from "./queries.ts";
import type { Command } from "./types.ts";

/** What the fields of the commands mean, by their names. */
const FIELDS: Readonly<Record<string, { readonly description: string; readonly type?: string }>> = {
  number: { description: "A phone number in any usual notation." },
  reference: {
    description: "The reference of the prompt that is meant: no other one is answered.",
  },
  amount: { description: "The amount of the payment." },
  phone: { description: "The customer's phone, in any usual notation." },
  account_reference: { description: "A label, at most 12 characters." },
  description: { description: "A text for the payment." },
  balance: { description: "The new balance, such as 1500.00." },
  answer: { description: "approve, cancel, wrongPin, ignore, or ask." },
  pin: { description: "Four digits." },
  key: { description: "A key, or a kind: public, secret or sandbox. By default, secret." },
  by: { description: "How far: milliseconds, or a text such as 61s or 2h." },
  id: { description: "The id." },
  url: { description: "The URL of the receiver. Without a scheme, it gets one." },
  event: { description: "The kind of event. By default, one that the receiver lists." },
  keep_receivers: { description: "yes: the registered receivers stay." },
  save_as: { description: "Saves the state under this name first, to return to it." },
  kind: { description: "status, latency, reset, hang, truncate, or lostResponse." },
  endpoint: { description: "Only requests to this endpoint, such as mobileMoney.initiate." },
  method: { description: "Only requests with this method." },
  path: { description: "Only requests to this path; * and {name} match one segment." },
  status: { description: "The status of the response.", type: "integer" },
  headers: { description: "Headers of the response.", type: "object" },
  body: { description: "The body of the response: a text or a JSON value." },
  ms: { description: "How long to wait, in milliseconds.", type: "number" },
  after: { description: "How many matching requests pass before.", type: "integer" },
  times: { description: "How many requests get the fault, or always." },
  seed: { description: "The seed that repeats the same faults." },
  name: { description: "The name of the scene." },
  snapshot: { description: "What GET /snapshot returned.", type: "object" },
};

const RATE = { description: "A rate from 0 (never) to 1 (always).", type: "number" };

const schemaOf = (field: string) => FIELDS[field] ?? RATE;

const envelope = (description: string) => ({
  description,
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["success"],
        properties: {
          success: { type: "boolean" },
          data: { type: "object" },
          error: { type: "string" },
        },
      },
    },
  },
});

const RESPONSES = {
  "200": envelope("Done. `data` is the result."),
  "403": envelope("The request does not come from this machine."),
  "422": envelope("The sandbox cannot do it. `error` says why."),
};

const parameter = (name: string, place: "path" | "query") => ({
  name,
  in: place,
  required: place === "path",
  schema: { type: "string" },
  ...(place === "path" && { description: schemaOf(name).description }),
});

function commandOperation(name: CommandName, { summary, path = "", fields }: Command): object {
  const inPath = fields.filter((field) => path.includes(`{${field}}`));
  const inBody = fields.filter((field) => !inPath.includes(field));
  const properties = Object.fromEntries(inBody.map((field) => [field, schemaOf(field)]));
  return {
    operationId: name.replaceAll("/", "_"),
    summary,
    parameters: inPath.map((field) => parameter(field, "path")),
    ...(inBody.length > 0 && {
      requestBody: {
        content: {
          "application/json": {
            schema: { type: "object", properties },
            example: BODY_EXAMPLES[name] ?? {},
          },
        },
      },
    }),
    responses: RESPONSES,
  };
}

/** The control API as an OpenAPI document: everything that can be done to a running sandbox. */
export function controlDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [path, { summary, query = [] }] of Object.entries(QUERIES)) {
    const parameters = query.map((name) => parameter(name, "query"));
    paths[path] = {
      get: {
        operationId: `read${path}`.replaceAll("/", "_"),
        summary,
        parameters,
        responses: RESPONSES,
      },
    };
  }
  for (const [name, command] of Object.entries<Command>(COMMANDS)) {
    if (command.path === undefined) continue;
    const operation = commandOperation(name as CommandName, command);
    paths[command.path] = { ...paths[command.path], post: operation };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "The control API of a malipo sandbox",
      version: "1",
      description:
        "Drives a running sandbox from any language. It has no keys, and answers this machine only.",
    },
    servers: [{ url: CONTROL_PREFIX }],
    paths,
  };
}
