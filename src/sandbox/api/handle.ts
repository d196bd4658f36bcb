import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpointFor,
} from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { callMishap } from "../faults/chaos-calls.ts";
import { type FaultEffect, faultsFor } from "../faults/faults.ts";
import { watched } from "../observe/watch.ts";
import type { State, StoredKey } from "../state/state.ts";
import type { World } from "../state/world.ts";
import { Refusal } from "./error-response.ts";
import type { Body } from "./params.ts";
import { ROUTES } from "./routes.ts";

/** A request below the base URL, as every skin hands it over. */
export interface ApiRequest {
  readonly method: string;
  /** With its slash, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | null | undefined;
  /** All of them, as they came: to show them. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

/** What to answer, and what a skin has to break on its way. */
export interface ApiReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FaultyReply {
  /** Milliseconds to wait first. */
  readonly latencyMs: number;
  /** `undefined`: the reply goes out whole. */
  readonly fault: "reset" | "hang" | "truncate" | "lostResponse" | undefined;
  /** Does what the request asks for, and gives the answer. Not called for `reset` and `hang`. */
  readonly reply: () => ApiReply;
}

/** Any origin may call, and read every header of the answer. */
export const CORS = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };

function json(status: number, value: unknown, headers: Readonly<Record<string, string>>): ApiReply {
  return {
    status,
    headers: { ...CORS, "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  };
}

/** The methods that a path has. */
const methodsOf = (path: string) =>
  ["GET", "POST", "PUT", "DELETE"].filter((method) => endpointFor(method, path) !== undefined);

function keyIn(state: State, { header }: ApiRequest): StoredKey {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(header("authorization") ?? "") ?? [];
  const key = header("x-api-key") ?? bearer;
  if (!key) {
    throw new Refusal(401, "No API key. Send it as X-API-Key, or as Authorization: Bearer.");
  }
  if (Object.hasOwn(state.keys, key)) return state.keys[key] as StoredKey;
  throw new Refusal(401, "There is no such API key in this sandbox.");
}

function checkPermission(name: EndpointName, { kind, scopes }: StoredKey): void {
  const { keys, scope, method, path }: Endpoint = ENDPOINTS[name];
  if (!keys.includes(kind)) {
    throw new Refusal(403, `${method} ${path} needs a secret key; this is a ${kind} one.`);
  }
  const needed = scope ?? ASSUMPTIONS.paymentsInitiate.value;
  if (!scopes.includes(needed)) {
    throw new Refusal(403, `${method} ${path} needs the scope ${needed}, which this key lacks.`);
  }
}

const { deepest: DEEPEST } = ASSUMPTIONS.sizes.value;

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
    throw new Refusal(400, "The body is not JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Refusal(400, "The body is not a JSON object.");
  }
  if (isDeeper(body, DEEPEST)) throw new Refusal(400, `The body is nested over ${DEEPEST} deep.`);
  return body as Body;
}

function decoded(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? "");
  } catch {
    throw new Refusal(400, "The path is not properly encoded.");
  }
}

function answer(world: World, request: ApiRequest, headers: Record<string, string>): ApiReply {
  try {
    const row = endpointFor(request.method, request.path);
    if (row === undefined) {
      const methods = methodsOf(request.path);
      if (methods.length === 0) throw new Refusal(404, `There is nothing at ${request.path}.`);
      const allow = methods.join(", ");
      throw new Refusal(405, `${request.path} takes ${allow}.`, { allow });
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
    return json(status, { success: true, data, ...(meta && { meta }) }, headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return json(
      error.status,
      { success: false, error: error.message },
      { ...error.headers, ...headers },
    );
  }
}

function preflight({ header }: ApiRequest): ApiReply {
  return {
    status: 204,
    headers: {
      ...CORS,
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
): ApiReply {
  const { status, headers = {}, body } = effect;
  const said = body ?? { success: false, error: `The sandbox was told to answer ${status}.` };
  // In lower case, so that they take the place of ours.
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const reply = json(status, said, { ...Object.fromEntries(own), ...mark });
  return typeof said === "string" ? { ...reply, body: said } : reply;
}

/** What becomes of a request: the one function behind every skin. */
export const handle = (world: World, request: ApiRequest): FaultyReply =>
  watched(world.watchers, world.clock.ms, request, meet(world, request));

function meet(world: World, request: ApiRequest): FaultyReply {
  const whole = { latencyMs: 0, fault: undefined };
  if (request.method === "OPTIONS") return { ...whole, reply: () => preflight(request) };
  const row = endpointFor(request.method, request.path);
  const faults = faultsFor(world.state, request.method, request.path, row?.name);
  const ordered = faults.at(-1);
  // What was ordered comes as it was ordered; a call that is only late may still meet with more.
  const mishap = !ordered || ordered.kind === "latency" ? callMishap(world.state) : undefined;
  const last = mishap?.effect ?? ordered;
  if (last === undefined) return { ...whole, reply: () => answer(world, request, {}) };
  const mark = mishap?.mark ?? { "x-sandbox-fault": last.kind };
  return {
    latencyMs: faults.reduce((sum, one) => sum + (one.kind === "latency" ? one.ms : 0), 0),
    fault: last.kind === "status" || last.kind === "latency" ? undefined : last.kind,
    reply: () => (last.kind === "status" ? statusReply(last, mark) : answer(world, request, mark)),
  };
}
