import { jsonContent } from "../../openapi/field-schemas.ts";
import { COMMANDS, CONTROL_PREFIX } from "./commands.ts";
import { COMMAND_FIELDS, type Command } from "./define-command.ts";
import { QUERIES } from "./queries.ts";

function schemaOf(field: string): { readonly description: string } {
  const row = COMMAND_FIELDS[field] ?? { description: "A field." };
  const { example: _, values, type = "any", ...schema } = row;
  const hasType = type !== "any" && type !== "text";
  return { ...schema, ...(hasType && { type }), ...(values && { examples: values }) };
}

const ENVELOPE = {
  type: "object",
  required: ["success"],
  properties: {
    success: { type: "boolean" },
    data: { type: "object" },
    error: { type: "string" },
  },
};

const response = (description: string) => ({ description, ...jsonContent(ENVELOPE) });

const RESPONSES = {
  "200": response("Done. `data` is the result."),
  "403": response("The request does not come from this machine."),
  "422": response("The sandbox cannot do it. `error` is the reason."),
};

const parameter = (name: string, place: "path" | "query") => ({
  name,
  in: place,
  required: place === "path",
  schema: { type: "string" },
  ...(place === "path" && { description: schemaOf(name).description }),
});

function requestBody({ required = [], example = {} }: Command, fields: readonly string[]): object {
  const properties = Object.fromEntries(fields.map((field) => [field, schemaOf(field)]));
  const schema = { type: "object", properties, ...(required.length > 0 && { required }) };
  const own = Object.entries(example).filter(([field]) => fields.includes(field));
  return jsonContent(schema, Object.fromEntries(own));
}

function commandOperation(name: string, command: Command): object {
  const { summary, path = "", fields } = command;
  const inPath = fields.filter((field) => path.includes(`{${field}}`));
  const inBody = fields.filter((field) => !inPath.includes(field));
  return {
    operationId: name.replaceAll("/", "_"),
    summary,
    parameters: inPath.map((field) => parameter(field, "path")),
    ...(inBody.length > 0 && { requestBody: requestBody(command, inBody) }),
    responses: RESPONSES,
  };
}

/** The control API as an OpenAPI document: everything that can be done to a running sandbox. */
export function controlDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [path, { summary, query = [] }] of Object.entries(QUERIES)) {
    const parameters = query.map((name) => parameter(name, "query"));
    const operationId = `read${path}`.replaceAll("/", "_");
    paths[path] = { get: { operationId, summary, parameters, responses: RESPONSES } };
  }
  for (const [name, command] of Object.entries<Command>(COMMANDS)) {
    if (command.path === undefined) continue;
    paths[command.path] = { ...paths[command.path], post: commandOperation(name, command) };
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
