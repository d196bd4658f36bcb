import { endpointFor } from "../../contract/endpoints.ts";
import { ProbeError } from "../../errors/probe-error.ts";
import type { RejectionCause } from "../../profile/causes.ts";
import { isSuccess, type Received } from "./http.ts";
import type { Step } from "./steps.ts";

/** The status of a rejection that is about the key, whatever else is wrong. */
export const isAboutKey = ({ status }: Received) => status === 401 || status === 403;

/** A text without what changes from one response to the next: ids, numbers and times. */
const withoutNumbers = (text: string) =>
  text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, "").replace(/\d+/g, "");

/** Whether two rejections have the same cause, as far as status and text show it. */
const isSameRejection = (one: Received, other: Received): boolean =>
  one.status === other.status && withoutNumbers(one.body) === withoutNumbers(other.body);

/**
 * What the service rejected a request for. A request with one mistake can be rejected for another one,
 * such as a scope that the key lacks.
 *
 * @param unknownId - How the service rejects an unknown id of the same resource.
 * @returns `unclear` if nothing is to be learned from it.
 */
export function classify(
  { cause, part, method }: Step,
  received: Received,
  unknownId: Received | undefined,
): RejectionCause | "unclear" | undefined {
  // Some services respond with 500 to an unknown id: it is their answer. Any other failure tells nothing.
  const isAnswer = cause === "unknown_id" && received.status === 500;
  if (received.status >= 500 && !isAnswer) return undefined;
  switch (cause) {
    case "unknown_id": {
      // Services may keep what was deleted.
      if (part === "after deletion" && method === "GET" && isSuccess(received)) return undefined;
      const isClear = !isAboutKey(received) || (unknownId && isSameRejection(received, unknownId));
      return isClear ? cause : "missing_scope";
    }
    case "wrong_kind":
      // A service that does not look at the kind of the key finds no such id.
      return part === "rejections" && unknownId && isSameRejection(received, unknownId)
        ? "unclear"
        : cause;
    case "invalid_field":
      return isAboutKey(received) ? undefined : cause;
    default:
      return cause;
  }
}

/** What to do about reads that all failed with one status. */
const ADVICE: Readonly<Record<number, string>> = {
  401: "The service rejects the key (401). It may be revoked, or belong to another environment. Check --key-file and --base-url.",
  403: "The service knows the key, but the key may read nothing (403). Give it the scopes merchant.read, payments.read, webhooks.read and invoices.read.",
  404: "The service has none of the documented endpoints here (404). Check that --base-url includes its path prefix.",
};

/** The error of a probe that could read nothing. */
export function explainNoReads(baseUrl: string, responses: readonly Received[]): ProbeError {
  const statuses = [...new Set(responses.map(({ status }) => status))];
  const returned = `it returned ${statuses.join(", ")}`;
  if (responses.every(({ json }) => json === undefined)) {
    const type = (responses[0]?.headers.get("content-type") ?? "no content type").slice(0, 60);
    return new ProbeError(
      "not_json",
      `${new URL(baseUrl).origin} does not respond in JSON: ${returned} with ${type}. This is not the address of the service's API. Check --base-url, with its path prefix.`,
    );
  }
  const advice = statuses.length === 1 ? ADVICE[statuses[0] ?? 0] : undefined;
  return new ProbeError(
    "no_reads",
    advice ??
      `The service rejected every read: ${returned}. Check the key and --base-url. \`npx malipo doctor\` tells more.`,
  );
}

/** The error of a service that sends its callers elsewhere. */
export function explainRedirect(baseUrl: string, { status, headers }: Received): ProbeError {
  const location = headers.get("location") ?? "";
  const base = `${baseUrl}/`;
  const target = URL.canParse(location, base) ? new URL(location, base) : undefined;
  const destination = target === undefined ? "" : ` to ${target.origin + target.pathname}`;
  return new ProbeError(
    "redirect",
    `${new URL(baseUrl).origin} redirects (${status})${destination}. The probe follows no redirect, because it would send the key along. Give the final address as --base-url.`,
  );
}

/** What could not be learned because the service rejected a read. */
export function describeRejectedRead({ method, path }: Step, received: Received): string {
  const scope = isAboutKey(received) ? endpointFor(method, path)?.endpoint.scope : undefined;
  return `${method} ${path} returned ${received.status}${scope ? `: the key may lack the scope ${scope}` : ""}.`;
}

/** An error with what the user has to know about the service besides. */
export function explainRest(
  error: ProbeError,
  left: readonly string[],
  payment: string | undefined,
): ProbeError {
  const rest = left.map((one) => `Left at the service: ${one}. Delete it there.`);
  if (payment !== undefined) {
    rest.push(`The payment ${payment} was started, and may still be paid.`);
  }
  return rest.length === 0 ? error : error.with([error.message, ...rest].join("\n"));
}
