import { endpointFor } from "../../contract/endpoints.ts";
import { ProbeError } from "../../errors/probe.ts";
import { isAboutKey } from "./classify.ts";
import type { Received } from "./http/exchange.ts";
import type { Step } from "./steps/step.ts";

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
