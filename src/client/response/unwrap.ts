import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import { statusFailure, unexpectedResponse, worse } from "../http/failures.ts";
import type { CallContext, Sent } from "../http/types.ts";
import type { DriftReporter } from "./drift.ts";
import { dataOf, findList, isErrorEnvelope, isUnclearEnvelope, requireFields } from "./envelope.ts";
import { createPage } from "./page.ts";

function parse(text: string): unknown {
  return text.trim() === "" ? undefined : JSON.parse(text);
}

/** The parser quotes the text in its error: parses it again without the key and phone numbers. */
function safeSyntaxError(text: string, redactor: Redactor): unknown {
  try {
    return parse(maskPhones(redactor.text(text)));
  } catch (error) {
    return error;
  }
}

/** What is known of the service beside the contract. */
export interface Learned {
  /** The path of the list of the endpoint, such as `content`. */
  readonly listPath?: string | undefined;
  readonly drift?: DriftReporter | undefined;
}

/**
 * What a method resolves with for a 2xx: `data` out of its envelope, or a page of it.
 *
 * @throws {ApiError} for `success: false`.
 * @throws {UnexpectedResponseError} if the body is not JSON, contradicts itself or lacks a required
 * field.
 */
export function unwrap(
  context: CallContext,
  received: Sent,
  { listPath, drift }: Learned = {},
): { data: unknown; body: unknown } {
  const { name, endpoint, settings } = context;
  let body: unknown;
  try {
    body = parse(received.text);
  } catch {
    throw unexpectedResponse(context, received, "its body is not JSON", {
      cause: safeSyntaxError(received.text, settings.redactor),
    });
  }
  if (isErrorEnvelope(body)) {
    const failure = statusFailure(context, received);
    throw failure.toError(worse(received.outcome, failure.outcome));
  }
  if (endpoint.effect !== "read" && isUnclearEnvelope(body))
    throw unexpectedResponse(context, received, "its `success` is neither true nor false");
  drift?.profile(name, received.response.status, body);
  if (endpoint.list) {
    const resource = endpoint.path.slice(endpoint.path.lastIndexOf("/") + 1).replace("-", "_");
    const list = findList(body, resource, listPath);
    if (list === undefined) throw unexpectedResponse(context, received, "its body holds no list");
    drift?.contract(name, endpoint, list.items);
    return { data: createPage(list.items, list.meta), body };
  }
  const found = dataOf(body);
  const data =
    endpoint.requiredFields === undefined
      ? found
      : requireFields(found, endpoint.requiredFields, (field) =>
          unexpectedResponse(context, received, `its body has no usable \`data.${field}\``),
        );
  drift?.contract(name, endpoint, found);
  return { data, body };
}
