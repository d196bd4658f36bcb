import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { ErrorResponse } from "../exchange/error-response.ts";
import type { ApiRequest } from "../exchange/messages.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { State, StoredKey } from "../state/stored.ts";

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
export function authorize(
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
