import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ownOptions } from "../../internal/check-options.ts";
import { isObject } from "../../internal/is-object.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { readBody } from "../http/read-body.ts";
import { errorResponse, json, type OwnResponse, protect, respond } from "../http/respond.ts";
import type { ServerContext } from "../http/server-context.ts";
import { commandContext } from "./command-context.ts";
import { COMMANDS, CONTROL_PREFIX } from "./commands.ts";
import { ControlError } from "./control-error.ts";
import { controlDocument } from "./document.ts";
import { QUERIES } from "./queries.ts";
import type { Command } from "./types.ts";

/** A snapshot of a sandbox that ran for days is large. */
const MAX_SNAPSHOT_BYTES = 64 * 1_048_576;

interface Input {
  /** The values of the names in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
}

interface Route {
  readonly method: "GET" | "POST";
  readonly pattern: RegExp;
  readonly run: (server: ServerContext, input: Input) => unknown;
}

/** `/phones/{number}/on` as a pattern with a group for each name. */
const patternOf = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

const queryRoutes = Object.entries(QUERIES).map(
  ([path, { read }]): Route => ({
    method: "GET",
    pattern: patternOf(path),
    run: (server, { query }) => read(server, query),
  }),
);

const commandRoute = (command: Command, path: string): Route => ({
  method: "POST",
  pattern: patternOf(path),
  run: (server, { params, body }) => {
    const given = { ...parseBody(body), ...params };
    const fields = ownOptions(given, command.fields, path);
    return command.act(commandContext(server), fields);
  },
});

const ROUTES: readonly Route[] = [
  ...queryRoutes,
  { method: "GET", pattern: /^\/openapi\.json$/, run: () => controlDocument() },
  ...Object.values<Command>(COMMANDS).flatMap((command) =>
    command.path === undefined ? [] : [commandRoute(command, command.path)],
  ),
];

function parseBody(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text || "{}");
  } catch {
    throw new ControlError(400, "The body is not JSON.");
  }
  if (isObject(body)) return body;
  throw new ControlError(400, "The body is not a JSON object.");
}

function findRoute(method: string, path: string): Route {
  const matching = ROUTES.filter(({ pattern }) => pattern.test(path));
  if (matching.length === 0) {
    throw new ControlError(404, `There is nothing at ${CONTROL_PREFIX}${path}.`);
  }
  const route = matching.find((one) => one.method === method);
  if (route !== undefined) return route;
  const allow = matching.map((one) => one.method).join(", ");
  throw new ControlError(405, `${path} accepts only ${allow}.`, { allow });
}

function parseParams({ pattern }: Route, path: string): Record<string, string> {
  try {
    const groups = Object.entries(pattern.exec(path)?.groups ?? {});
    return Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new ControlError(400, "The path is not properly encoded.");
  }
}

async function run(
  server: ServerContext,
  request: IncomingMessage,
  body: string,
): Promise<unknown> {
  const { method = "GET", url = "/" } = request;
  const { pathname, searchParams: query } = new URL(url, "http://localhost");
  const path = pathname.slice(CONTROL_PREFIX.length);
  const route = findRoute(method, path);
  return route.run(server, { params: parseParams(route, path), query, body });
}

const isDocument = (data: unknown): boolean => isObject(data) && "openapi" in data;

async function responseTo(server: ServerContext, request: IncomingMessage): Promise<OwnResponse> {
  const isRestore = /\/restore(?:\?|$)/.test(request.url ?? "");
  const maxBytes = isRestore ? MAX_SNAPSHOT_BYTES : ASSUMPTIONS.sizes.value.maxBytes;
  const body = await readBody(request, maxBytes).catch(() => undefined);
  if (body === undefined) return errorResponse(413, `The body is larger than ${maxBytes} bytes.`);
  try {
    const data = await run(server, request, body);
    // The document of the API is what tools expect, without an envelope.
    return json(isDocument(data) ? data : { success: true, data });
  } catch (error) {
    if (error instanceof ControlError) {
      return errorResponse(error.status, error.message, error.headers);
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
