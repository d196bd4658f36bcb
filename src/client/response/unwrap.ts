import type { Deadline } from "../../idempotency/deadline.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import { readBodyResult } from "../../profile/body-result.ts";
import type { ServiceProfile } from "../../profile/profile-types.ts";
import { send } from "../http/call-attempts.ts";
import { statusFailure, unexpectedResponse, worse } from "../http/failures.ts";
import type { CallContext, HttpRequest, HttpResponse, Limits, Sent } from "../http/http-types.ts";
import { onDemand } from "../on-demand.ts";
import type { DriftReporter } from "./drift.ts";
import { dataOf, findList, isUnclearEnvelope, requireFields } from "./envelope.ts";
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
  /** In which field a body says whether the request failed. */
  readonly bodyResults?: ServiceProfile["bodyResults"];
  readonly drift?: DriftReporter | undefined;
}

/**
 * What a method resolves with for a 2xx: `data` out of its envelope, or a page of it.
 *
 * @throws {ApiError} for `success: false`, and for any other result in the body that it failed.
 * @throws {UnexpectedResponseError} if the body is not JSON, contradicts itself or lacks a required
 * field.
 */
export function unwrap(
  context: CallContext,
  received: Sent,
  { listPath, bodyResults, drift }: Learned = {},
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
  const bodyResult = readBodyResult(body, bodyResults);
  if (bodyResult?.hasFailed) {
    const failure = statusFailure(context, received, bodyResult);
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

const loadDrift = onDemand("`hooks.drift`", async () => (await import("./drift.ts")).driftReporter);

/** A call whose options and parameters were checked: what is sent, and for how long. */
export interface PreparedCall {
  readonly context: CallContext;
  readonly request: HttpRequest;
  readonly limits: Limits;
}

/** A response that was read, and what a method makes of it. */
export interface Done extends HttpResponse {
  readonly data: unknown;
  readonly body: unknown;
}

/**
 * Sends a call, and unwraps its response.
 *
 * @param attempt - The signal and the deadline of an attempt with an idempotency key, in the place of the call's own.
 */
export async function sendAndUnwrap(
  { context, request, limits }: PreparedCall,
  attempt?: { readonly signal: AbortSignal; readonly deadline: Deadline },
): Promise<Done> {
  const { hooks, loadLearned } = context.settings;
  const sent = await send(context, request, { ...limits, ...attempt });
  const learned = loadLearned && (await loadLearned());
  const drift = hooks.drift && (await loadDrift().catch(() => undefined));
  const found = unwrap(context, sent, {
    listPath: learned?.listPath(context.name),
    bodyResults: learned?.profile.bodyResults,
    drift: drift?.(hooks, learned?.profile),
  });
  return { ...sent, ...found };
}
