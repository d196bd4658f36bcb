import { endpointFor } from "../../contract/endpoints.ts";
import { ErrorResponse } from "../exchange/error-response.ts";
import { CORS_HEADERS, jsonResponse } from "../exchange/json-response.ts";
import type { ApiRequest, ApiResponse, PlannedResponse } from "../exchange/messages.ts";
import type { RouteResult } from "../exchange/result.ts";
import { observeResponse } from "../exchange/watch.ts";
import { chaosRequestFault, type RequestFault } from "../faults/chaos-requests.ts";
import { takeFaults } from "../faults/faults.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { FaultEffect } from "../state/records.ts";
import { authorize } from "./authorize.ts";
import { decodeSegment, parseBody } from "./parse-request.ts";
import { ROUTES } from "./routes.ts";

type Headers = Readonly<Record<string, string>>;

/** Decides the response to a request. Every transport calls this function. */
export const handle = (sandboxState: SandboxState, request: ApiRequest): PlannedResponse =>
  observeResponse(
    sandboxState.watchers,
    () => sandboxState.clock.ms(),
    request,
    planResponse(sandboxState, request),
  );

function planResponse(sandboxState: SandboxState, request: ApiRequest): PlannedResponse {
  if (request.method === "OPTIONS") {
    return { latencyMs: 0, fault: undefined, respond: () => preflight(request) };
  }
  const { method, path } = request;
  const endpoint = endpointFor(method, path)?.name;
  const faults = takeFaults(sandboxState.state, { method, path, endpoint });
  const { effect, headers = {} } = responseFault(sandboxState, faults.at(-1)) ?? {};
  const latencyMs = faults.reduce((sum, one) => sum + (one.kind === "latency" ? one.ms : 0), 0);
  if (effect?.kind === "status") {
    return { latencyMs, fault: undefined, respond: () => statusResponse(effect, headers) };
  }
  return {
    latencyMs,
    fault: effect?.kind === "latency" ? undefined : effect?.kind,
    respond: () => route(sandboxState, request, headers),
  };
}

/** The fault that was set, or one of chaos. A request that only has a latency may get another fault. */
function responseFault(
  sandboxState: SandboxState,
  set: FaultEffect | undefined,
): RequestFault | undefined {
  const isOpen = set === undefined || set.kind === "latency";
  const random = isOpen ? chaosRequestFault(sandboxState.state) : undefined;
  if (random !== undefined) return random;
  return set && { effect: set, headers: { "x-sandbox-fault": set.kind } };
}

function statusResponse(effect: FaultEffect & { kind: "status" }, faultHeaders: Headers) {
  const { status, headers = {}, body } = effect;
  const content = body ?? { success: false, error: `A fault of the sandbox returned ${status}.` };
  // In lower case, so that they replace the default headers.
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const response = jsonResponse(status, content, { ...Object.fromEntries(own), ...faultHeaders });
  return typeof content === "string" ? { ...response, body: content } : response;
}

function route(
  sandboxState: SandboxState,
  request: ApiRequest,
  faultHeaders: Headers,
): ApiResponse {
  const { path } = request;
  const match = endpointFor(request.method, path);
  const { webhookSecret } = sandboxState.state;
  const asked = { path, now: sandboxState.clock.ms(), webhookSecret, endpoint: match?.name };
  try {
    if (match === undefined) throw noEndpoint(path);
    const decided = callEndpoint(sandboxState, request, match);
    const response = sandboxState.serializer.success({ ...asked, endpoint: match.name }, decided);
    return respondWith(response, faultHeaders, decided);
  } catch (error) {
    if (!(error instanceof ErrorResponse)) throw error;
    const response = sandboxState.serializer.error(asked, error);
    return respondWith(response, faultHeaders, error);
  }
}

const respondWith = (
  { status, headers, body }: ApiResponse,
  faultHeaders: Headers,
  decided: RouteResult | ErrorResponse,
): ApiResponse => ({ status, headers: { ...headers, ...faultHeaders }, body, decided });

type Match = NonNullable<ReturnType<typeof endpointFor>>;

function callEndpoint(sandboxState: SandboxState, request: ApiRequest, match: Match): RouteResult {
  authorize(sandboxState, request, match.name);
  return ROUTES[match.name]({
    sandboxState,
    endpoint: match.name,
    id: decodeSegment(match.params[0] ?? ""),
    query: request.query,
    body: match.endpoint.request === undefined ? {} : parseBody(request.body),
  });
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
