import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ownOptions } from "../../internal/check-options.ts";
import { readNodeBody } from "../../internal/on-node.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import {
  errorResponse,
  json,
  type OwnResponse,
  protect,
  respond,
  type ServerContext,
} from "../http/respond.ts";
import { decodeSegment, ErrorResponse, parseObject } from "../messages.ts";
import { ASSUMED_STATUSES } from "../serializer/assumed.ts";
import { commandContext } from "./command-context.ts";
import { COMMANDS, CONTROL_PREFIX } from "./commands.ts";
import { controlDocument } from "./control-document.ts";
import { type Command, runCommand } from "./define-command.ts";
import { QUERIES } from "./queries.ts";

/** A snapshot of a sandbox that ran for days is large. */
const MAX_SNAPSHOT_BYTES = 64 * 1_048_576;

const COMMAND_PATHS = Object.values<Command>(COMMANDS).flatMap((command) => {
  const { path } = command;
  if (path === undefined) return [];
  // `/phones/{number}/on` as a pattern with a group for each name.
  const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
  return [{ pattern, command }];
});

/** @throws {ErrorResponse} for a path that is not valid percent-encoding. */
function pathParams(path: string, pattern: RegExp): Record<string, string> {
  const groups = Object.entries(pattern.exec(path)?.groups ?? {});
  return Object.fromEntries(groups.map(([name, value]) => [name, decodeSegment(value)]));
}

const success = (data: object) => ({ success: true, data });

async function run(
  server: ServerContext,
  { method = "GET", url = "/" }: IncomingMessage,
  body: string,
): Promise<object> {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const path = pathname.slice(CONTROL_PREFIX.length);
  const isDocument = path === "/openapi.json";
  const query = QUERIES[path];
  const match = COMMAND_PATHS.find(({ pattern }) => pattern.test(path));
  // What tools expect: without an envelope.
  if (method === "GET" && isDocument) return controlDocument();
  if (method === "GET" && query !== undefined) return success(query.read(server, searchParams));
  if (method === "POST" && match !== undefined) {
    const { pattern, command } = match;
    const given = { ...parseObject(body || "{}"), ...pathParams(path, pattern) };
    const own = ownOptions(given, command.fields, path);
    return success(await runCommand(command, commandContext(server), own));
  }
  const allow = [(isDocument || query) && "GET", match && "POST"].filter(Boolean).join(", ");
  if (allow === "") {
    throw new ErrorResponse("unknown_path", `There is nothing at ${CONTROL_PREFIX}${path}.`);
  }
  throw new ErrorResponse("wrong_method", `${path} accepts only ${allow}.`, { headers: { allow } });
}

async function responseTo(server: ServerContext, request: IncomingMessage): Promise<OwnResponse> {
  const isRestore = /\/restore(?:\?|$)/.test(request.url ?? "");
  const maxBytes = isRestore ? MAX_SNAPSHOT_BYTES : ASSUMPTIONS.sizes.value.maxBytes;
  const body = await readNodeBody(request, maxBytes);
  if (body === undefined) return errorResponse(413, `The body is larger than ${maxBytes} bytes.`);
  try {
    return json(await run(server, request, body));
  } catch (error) {
    if (error instanceof ErrorResponse) {
      return errorResponse(ASSUMED_STATUSES[error.cause], error.message, error.headers);
    }
    if (error instanceof ConfigurationError) return errorResponse(422, error.message);
    throw error;
  }
}

/** Runs a query or a command on a served sandbox, and responds in the service's envelope. */
export async function handleControl(
  server: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  protect(response);
  respond(response, await responseTo(server, request));
}
