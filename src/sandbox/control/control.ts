import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ownOptions } from "../../internal/check-options.ts";
import { decodeSegment, parseObject } from "../api/parse-request.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { ErrorResponse } from "../exchange/error-response.ts";
import {
  errorResponse,
  json,
  type OwnResponse,
  protect,
  readBody,
  respond,
} from "../http/respond.ts";
import type { ServerContext } from "../http/server-context.ts";
import { ASSUMED_STATUSES } from "../serializer/assumed.ts";
import { commandContext } from "./command-context.ts";
import { COMMANDS, CONTROL_PREFIX } from "./commands.ts";
import { controlDocument } from "./document.ts";
import { QUERIES } from "./queries.ts";
import { type Command, runCommand } from "./types.ts";

/** A snapshot of a sandbox that ran for days is large. */
const MAX_SNAPSHOT_BYTES = 64 * 1_048_576;

interface Route {
  readonly method: "GET" | "POST";
  readonly pattern: RegExp;
  readonly run: (
    server: ServerContext,
    params: Readonly<Record<string, string>>,
    query: URLSearchParams,
    body: string,
  ) => object | Promise<object>;
}

/** `/phones/{number}/on` as a pattern with a group for each name. */
const route = (method: Route["method"], path: string, run: Route["run"]): Route => ({
  method,
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
  run,
});

const commandRoute = (path: string, command: Command) =>
  route("POST", path, async (server, params, _query, body) => {
    const given = ownOptions({ ...parseObject(body || "{}"), ...params }, command.fields, path);
    return { success: true, data: await runCommand(command, commandContext(server), given) };
  });

const ROUTES: readonly Route[] = [
  // What tools expect: without an envelope.
  route("GET", "/openapi.json", controlDocument),
  ...Object.entries(QUERIES).map(([path, { read }]) =>
    route("GET", path, (server, _params, query) => ({ success: true, data: read(server, query) })),
  ),
  ...Object.values<Command>(COMMANDS).flatMap((command) =>
    command.path === undefined ? [] : [commandRoute(command.path, command)],
  ),
];

function findRoute(method: string, path: string): Route {
  const matching = ROUTES.filter(({ pattern }) => pattern.test(path));
  if (matching.length === 0) {
    throw new ErrorResponse("unknown_path", `There is nothing at ${CONTROL_PREFIX}${path}.`);
  }
  const route = matching.find((one) => one.method === method);
  if (route !== undefined) return route;
  const allow = matching.map((one) => one.method).join(", ");
  throw new ErrorResponse("wrong_method", `${path} accepts only ${allow}.`, { headers: { allow } });
}

async function run(
  server: ServerContext,
  { method = "GET", url = "/" }: IncomingMessage,
  body: string,
): Promise<object> {
  const { pathname, searchParams: query } = new URL(url, "http://localhost");
  const path = pathname.slice(CONTROL_PREFIX.length);
  const { pattern, run } = findRoute(method, path);
  const groups = Object.entries(pattern.exec(path)?.groups ?? {});
  const params = groups.map(([name, value]) => [name, decodeSegment(value)] as const);
  return run(server, Object.fromEntries(params), query, body);
}

async function responseTo(server: ServerContext, request: IncomingMessage): Promise<OwnResponse> {
  const isRestore = /\/restore(?:\?|$)/.test(request.url ?? "");
  const maxBytes = isRestore ? MAX_SNAPSHOT_BYTES : ASSUMPTIONS.sizes.value.maxBytes;
  const body = await readBody(request, maxBytes);
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
