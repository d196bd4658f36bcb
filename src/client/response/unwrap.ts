import type { Endpoint } from "../../contract/endpoints.ts";
import { maskPhones, withoutSecret } from "../../internal/redact.ts";
import { type GatewayHooks, tell } from "../hooks.ts";
import type { Sent } from "../http/client.ts";
import { type CallContext, statusFailure, unexpectedResponse, worse } from "../http/failures.ts";
import { dataOf, driftIn, listIn, promisedIn, saysNo } from "./envelope.ts";
import { pageOf } from "./page.ts";

function parse(text: string): unknown {
  return text.trim() === "" ? undefined : JSON.parse(text);
}

/**
 * What a method gives of a 2xx: `data` out of its envelope, or a page of it.
 *
 * @throws {ApiError} for `success: false`.
 * @throws {UnexpectedResponseError} where the answer is no JSON or lacks what the method promises.
 */
export function unwrap(
  context: CallContext,
  endpoint: Endpoint,
  { received, outcome }: Sent,
  hooks: GatewayHooks,
): { data: unknown; body: unknown } {
  let body: unknown;
  try {
    body = parse(received.text);
  } catch {
    throw unexpectedResponse(context, received, "its body is not JSON", {
      cause: syntaxError(context, received.text),
    });
  }
  if (saysNo(body)) throw statusFailure(context, received).toError(worse(outcome, "rejected"));
  if (endpoint.list) {
    const list = listIn(body);
    if (list === undefined) throw unexpectedResponse(context, received, "it holds no list");
    reportDrift(context, endpoint, list.items, hooks);
    return { data: pageOf(list.items, list.meta), body };
  }
  const given = dataOf(body);
  const data = endpoint.requiredFields ? promisedIn(given, endpoint.requiredFields) : given;
  if (typeof data === "string" && endpoint.requiredFields) {
    throw unexpectedResponse(context, received, `it lacks \`data.${data}\``);
  }
  reportDrift(context, endpoint, given, hooks);
  return { data, body };
}

function reportDrift(
  context: CallContext,
  endpoint: Endpoint,
  data: unknown,
  hooks: GatewayHooks,
): void {
  if (hooks.drift === undefined) return;
  for (const drift of driftIn(context.endpoint, endpoint, data)) tell(hooks.drift, () => drift);
}

/** What the parser reports, of a text without the key and phone numbers: it quotes the text. */
function syntaxError({ key }: CallContext, text: string): unknown {
  try {
    return parse(maskPhones(withoutSecret(text, key) as string));
  } catch (error) {
    return error;
  }
}
