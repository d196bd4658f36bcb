import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import type { StoredKey } from "../state/records.ts";
import type { State } from "../state/state.ts";
import { ErrorResponse } from "./error-response.ts";
import type { ApiRequest } from "./messages.ts";

/** @throws {ErrorResponse} 401 or 403, if the request's key may not call this endpoint. */
export function authorize(state: State, request: ApiRequest, endpoint: EndpointName): void {
  checkPermission(endpoint, keyOf(state, request));
}

function keyOf(state: State, { header }: ApiRequest): StoredKey {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(header("authorization") ?? "") ?? [];
  const key = header("x-api-key") ?? bearer;
  if (!key) {
    throw new ErrorResponse(
      401,
      "The request has no API key. Send it in the X-API-Key header, or as Authorization: Bearer.",
    );
  }
  const stored = Object.hasOwn(state.keys, key) ? state.keys[key] : undefined;
  if (stored !== undefined) return stored;
  throw new ErrorResponse(401, "This sandbox does not know the API key.");
}

function checkPermission(name: EndpointName, { kind, scopes }: StoredKey): void {
  const { keys, scope, method, path }: Endpoint = ENDPOINTS[name];
  if (!keys.includes(kind)) {
    throw new ErrorResponse(403, `${method} ${path} requires a secret key; got a ${kind} key.`);
  }
  const required = scope ?? ASSUMPTIONS.paymentsInitiate.value;
  if (!scopes.includes(required)) {
    throw new ErrorResponse(
      403,
      `${method} ${path} requires the scope ${required}, which this key does not have.`,
    );
  }
}
