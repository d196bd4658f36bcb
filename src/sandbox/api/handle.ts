import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpointFor,
} from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { chaosRequestFault } from "../faults/chaos.ts";
import { takeFaults } from "../faults/faults.ts";
import {
  type ApiRequest,
  type ApiResponse,
  CORS_HEADERS,
  decodeSegment,
  ErrorResponse,
  jsonResponse,
  type PlannedResponse,
  parseBody,
} from "../messages.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { FaultEffect } from "../state/sandbox-records.ts";
import type { State, StoredKey } from "../state/stored.ts";
import { ROUTES } from "./routes.ts";

function keyOf(state: State, { header }: ApiRequest): StoredKey {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(header("authorization") ?? "") ?? [];
  const key = header("x-api-key") ?? bearer;
  if (!key) {
    throw new ErrorResponse(
      "no_key",
      "The request has no API key. Send it in the X-API-Key header, or as Authorization: Bearer.",
    );
  }
  const stored = Object.hasOwn(state.keys, key) ? state.keys[key] : undefined;
  if (stored !== undefined) return stored;
  throw new ErrorResponse("unknown_key", "This sandbox does not know the API key.");
}

/** @throws {ErrorResponse} 401 or 403, if the request's key may not call this endpoint. */
function authorize(
  { state, serializer }: SandboxState,
  request: ApiRequest,
  name: EndpointName,
): void {
  const { kind, scopes } = keyOf(state, request);
  const { keys, scope, method, path }: Endpoint = ENDPOINTS[name];
  if (!serializer.mayCall(kind, name)) {
    throw new ErrorResponse(
      "wrong_kind",
      `${method} ${path} requires a secret key; got a ${kind} key.`,
    );
  }
  const required = scope ?? ASSUMPTIONS.paymentsInitiate.value;
  // A kind of key has no scopes for the endpoints that only a learned service lets it call.
  const isChecked = keys.includes(kind) && !serializer.accepts("missing_scope");
  if (isChecked && !scopes.includes(required)) {
    throw new ErrorResponse(
      "missing_scope",
      `${method} ${path} requires the scope ${required}, which this key does not have.`,
    );
  }
}

/** Decides the response to a request. Every transport calls this function. */
export function handle(sandboxState: SandboxState, request: ApiRequest): PlannedResponse {
  const planned = planResponse(sandboxState, request);
  // A read takes microseconds, so a sandbox without watchers skips this.
  return sandboxState.watchers.size === 0 ? planned : observed(sandboxState, request, planned);
}

/** Shows the request and its response to the watchers, as soon as there is a response. */
function observed(
  { watchers, clock }: SandboxState,
  request: ApiRequest,
  planned: PlannedResponse,
): PlannedResponse {
  const { fault } = planned;
  const notify = (response: ApiResponse | undefined) => {
    const exchange = { at: clock.ms(), request, response, fault };
    for (const watcher of watchers) {
      watcher.exchanged?.(exchange);
      watcher.changed?.();
    }
  };
  if (fault === "reset" || fault === "hang") notify(undefined);
  return {
    ...planned,
    respond: () => {
      const response = planned.respond();
      notify(response);
      return response;
    },
  };
}

type Match = ReturnType<typeof endpointFor>;

function planResponse(sandboxState: SandboxState, request: ApiRequest): PlannedResponse {
  if (request.method === "OPTIONS") {
    return { latencyMs: 0, fault: undefined, respond: () => preflight(request) };
  }
  const { method, path } = request;
  const match = endpointFor(method, path);
  const faults = takeFaults(sandboxState.state, { method, path, endpoint: match?.name });
  const { effect, headers } = responseFault(sandboxState, faults.at(-1)) ?? {};
  const isStatus = effect?.kind === "status";
  const respond = () =>
    isStatus ? statusResponse(effect) : callEndpoint(sandboxState, request, match);
  return {
    latencyMs: faults.reduce((sum, one) => sum + (one.kind === "latency" ? one.ms : 0), 0),
    fault: isStatus || effect?.kind === "latency" ? undefined : effect?.kind,
    respond: () => {
      const response = respond();
      return { ...response, headers: { ...response.headers, ...headers } };
    },
  };
}

/** The fault that was set, or one of chaos. A request that only has a latency may get another fault. */
function responseFault({ state }: SandboxState, set: FaultEffect | undefined) {
  const isOpen = set === undefined || set.kind === "latency";
  const random = isOpen ? chaosRequestFault(state) : undefined;
  return random ?? (set && { effect: set, headers: { "x-sandbox-fault": set.kind } });
}

function statusResponse({ status, headers = {}, body }: FaultEffect & { kind: "status" }) {
  const content = body ?? { success: false, error: `A fault of the sandbox returned ${status}.` };
  // In lower case, so that they replace the default headers.
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const response = jsonResponse(status, content, Object.fromEntries(own));
  return typeof content === "string" ? { ...response, body: content } : response;
}

function callEndpoint(sandboxState: SandboxState, request: ApiRequest, match: Match): ApiResponse {
  const { serializer, clock, state } = sandboxState;
  const { path } = request;
  const { webhookSecret } = state;
  const asked = { path, now: clock.ms(), webhookSecret, endpoint: match?.name };
  try {
    if (match === undefined) throw noEndpoint(path);
    const { name, params, endpoint } = match;
    authorize(sandboxState, request, name);
    const decided = ROUTES[name]({
      sandboxState,
      endpoint: name,
      id: decodeSegment(params[0] ?? ""),
      query: request.query,
      body: endpoint.request === undefined ? {} : parseBody(request.body),
    });
    return { ...serializer.success({ ...asked, endpoint: name }, decided), decided };
  } catch (error) {
    if (!(error instanceof ErrorResponse)) throw error;
    return { ...serializer.error(asked, error), decided: error };
  }
}

function noEndpoint(path: string): ErrorResponse {
  const methods = ["GET", "POST", "PUT", "DELETE"].filter((one) => endpointFor(one, path));
  if (methods.length === 0)
    return new ErrorResponse("unknown_path", `There is no endpoint at ${path}.`);
  const allow = methods.join(", ");
  return new ErrorResponse("wrong_method", `${path} accepts ${allow}.`, { headers: { allow } });
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
