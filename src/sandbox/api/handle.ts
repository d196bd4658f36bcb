import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpointFor,
} from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { callMishap } from "../faults/chaos-calls.ts";
import { faultsFor } from "../faults/faults.ts";
import { watched } from "../observe/watch.ts";
import type { FaultEffect, StoredKey } from "../state/records.ts";
import type { State } from "../state/state.ts";
import type { World } from "../state/world.ts";
import { ErrorResponse } from "./error-response.ts";
import { CORS_HEADERS, jsonResponse } from "./json-response.ts";
import type { ApiRequest, ApiResponse, PlannedResponse } from "./messages.ts";
import type { Body } from "./params.ts";
import { ROUTES } from "./routes.ts";

/** The methods that a path has. */
const methodsOf = (path: string) =>
  ["GET", "POST", "PUT", "DELETE"].filter((method) => endpointFor(method, path) !== undefined);

function keyIn(state: State, { header }: ApiRequest): StoredKey {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(header("authorization") ?? "") ?? [];
  const key = header("x-api-key") ?? bearer;
  if (!key) {
    throw new ErrorResponse(401, "No API key. Send it as X-API-Key, or as Authorization: Bearer.");
  }
  if (Object.hasOwn(state.keys, key)) return state.keys[key] as StoredKey;
  throw new ErrorResponse(401, "There is no such API key in this sandbox.");
}

function checkPermission(name: EndpointName, { kind, scopes }: StoredKey): void {
  const { keys, scope, method, path }: Endpoint = ENDPOINTS[name];
  if (!keys.includes(kind)) {
    throw new ErrorResponse(403, `${method} ${path} needs a secret key; this is a ${kind} one.`);
  }
  const needed = scope ?? ASSUMPTIONS.paymentsInitiate.value;
  if (!scopes.includes(needed)) {
    throw new ErrorResponse(
      403,
      `${method} ${path} needs the scope ${needed}, which this key lacks.`,
    );
  }
}

const { maxDepth: DEEPEST } = ASSUMPTIONS.sizes.value;

const isDeeper = (value: unknown, most: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (most === 0 || Object.values(value).some((one) => isDeeper(one, most - 1)));

function bodyIn(text: string): Body {
  if (text.trim() === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ErrorResponse(400, "The body is not JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ErrorResponse(400, "The body is not a JSON object.");
  }
  if (isDeeper(body, DEEPEST))
    throw new ErrorResponse(400, `The body is nested over ${DEEPEST} deep.`);
  return body as Body;
}

function decoded(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? "");
  } catch {
    throw new ErrorResponse(400, "The path is not properly encoded.");
  }
}

function answer(world: World, request: ApiRequest, headers: Record<string, string>): ApiResponse {
  try {
    const row = endpointFor(request.method, request.path);
    if (row === undefined) {
      const methods = methodsOf(request.path);
      if (methods.length === 0)
        throw new ErrorResponse(404, `There is nothing at ${request.path}.`);
      const allow = methods.join(", ");
      throw new ErrorResponse(405, `${request.path} takes ${allow}.`, { allow });
    }
    checkPermission(row.name, keyIn(world.state, request));
    const {
      status = 200,
      data,
      meta,
    } = ROUTES[row.name]({
      world,
      id: decoded(row.params[0]),
      query: request.query,
      body: row.endpoint.request === undefined ? {} : bodyIn(request.body),
    });
    return jsonResponse(status, { success: true, data, ...(meta && { meta }) }, headers);
  } catch (error) {
    if (!(error instanceof ErrorResponse)) throw error;
    return jsonResponse(
      error.status,
      { success: false, error: error.message },
      { ...error.headers, ...headers },
    );
  }
}

function preflight({ header }: ApiRequest): ApiResponse {
  return {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      "access-control-allow-methods": "GET, POST, PUT, DELETE",
      "access-control-allow-headers":
        header("access-control-request-headers") ?? "authorization, content-type, x-api-key",
      "access-control-max-age": "600",
    },
    body: "",
  };
}

function statusReply(
  effect: FaultEffect & { kind: "status" },
  mark: Record<string, string>,
): ApiResponse {
  const { status, headers = {}, body } = effect;
  const said = body ?? { success: false, error: `The sandbox was told to answer ${status}.` };
  // In lower case, so that they take the place of ours.
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const reply = jsonResponse(status, said, { ...Object.fromEntries(own), ...mark });
  return typeof said === "string" ? { ...reply, body: said } : reply;
}

/** What becomes of a request: the one function behind every skin. */
export const handle = (world: World, request: ApiRequest): PlannedResponse =>
  watched(world.watchers, world.clock.ms, request, meet(world, request));

function meet(world: World, request: ApiRequest): PlannedResponse {
  const whole = { latencyMs: 0, fault: undefined };
  if (request.method === "OPTIONS") return { ...whole, respond: () => preflight(request) };
  const row = endpointFor(request.method, request.path);
  const faults = faultsFor(world.state, request.method, request.path, row?.name);
  const ordered = faults.at(-1);
  // What was ordered comes as it was ordered; a call that is only late may still meet with more.
  const mishap = !ordered || ordered.kind === "latency" ? callMishap(world.state) : undefined;
  const last = mishap?.effect ?? ordered;
  if (last === undefined) return { ...whole, respond: () => answer(world, request, {}) };
  const mark = mishap?.mark ?? { "x-sandbox-fault": last.kind };
  return {
    latencyMs: faults.reduce((sum, one) => sum + (one.kind === "latency" ? one.ms : 0), 0),
    fault: last.kind === "status" || last.kind === "latency" ? undefined : last.kind,
    respond: () =>
      last.kind === "status" ? statusReply(last, mark) : answer(world, request, mark),
  };
}
