import { COMMANDS, CONTROL_PREFIX, type CommandName } from "./commands.ts";
import { EXAMPLES } from "./examples.ts";
import { COMMAND_FIELDS } from "./fields.ts";
import { QUERIES } from "./queries.ts";
import type { Command } from "./types.ts";

const schemaOf = (field: string): { readonly description: string } => {
  const { example: _, values, ...schema } = COMMAND_FIELDS[field] ?? { description: "A field." };
  return { ...schema, ...(values && { examples: values }) };
};

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
  "422": envelope("The sandbox cannot do it. `error` is the reason."),
};

const parameter = (name: string, place: "path" | "query") => ({
  name,
  in: place,
  required: place === "path",
  schema: { type: "string" },
  ...(place === "path" && { description: schemaOf(name).description }),
});

function commandOperation(name: CommandName, command: Command): object {
  const { summary, path = "", fields, required = [] } = command;
  const inPath = fields.filter((field) => path.includes(`{${field}}`));
  const inBody = fields.filter((field) => !inPath.includes(field));
  const properties = Object.fromEntries(inBody.map((field) => [field, schemaOf(field)]));
  const example = Object.entries(EXAMPLES[name] ?? {}).filter(([field]) => inBody.includes(field));
  return {
    operationId: name.replaceAll("/", "_"),
    summary,
    parameters: inPath.map((field) => parameter(field, "path")),
    ...(inBody.length > 0 && {
      requestBody: {
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties,
              ...(required.length > 0 && { required }),
            },
            example: Object.fromEntries(example),
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
