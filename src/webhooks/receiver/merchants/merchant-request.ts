import { requestUrl } from "../../../internal/urls.ts";
import { MERCHANT } from "../../inbox/delivery.ts";
import type { TraceContext } from "../../inbox/inbox-types.ts";
import { headerValue, type WebhookHeaders } from "../../verification/signature-header.ts";

/** What tells whose delivery a request is. None of it is signed. */
export interface MerchantRequest {
  /**
   * The address of the request, with its path and its query. Its host is the one that the sender wrote
   * into the `Host` header.
   */
  readonly url: URL;
  /** The value of a header, by its name in any casing; several values are joined with a comma. */
  header(name: string): string | undefined;
}

/** A whole URL is that of a `Request`. */
const urlOf = (url: string, host: string | undefined): URL =>
  URL.canParse(url)
    ? new URL(url)
    : (requestUrl(url, host) ?? requestUrl(url) ?? new URL("http://localhost"));

/** The value of a header, by its name in any casing; several values are joined with a comma. */
export function headerText(headers: WebhookHeaders, name: string): string | undefined {
  const value = headerValue(headers, name.toLowerCase());
  if (Array.isArray(value)) return value.flat().join(", ");
  return typeof value === "string" ? value : undefined;
}

export function merchantRequest({
  headers,
  url = "/",
}: {
  readonly headers: WebhookHeaders;
  readonly url?: string | undefined;
}): MerchantRequest {
  return {
    url: urlOf(url, headerText(headers, "host")),
    header: (name) => headerText(headers, name),
  };
}

// A job has the headers of its delivery again. The merchant of the event is one of them.
export const withMerchant = (
  context: TraceContext | undefined,
  merchant: string | undefined,
): TraceContext | undefined =>
  merchant === undefined ? context : { ...context, [MERCHANT]: merchant };

/** The context without the merchant, as the `receive` hook returned it. */
export function traceOf(context: TraceContext | undefined): TraceContext | undefined {
  if (context?.[MERCHANT] === undefined) return context;
  const { [MERCHANT]: _, ...trace } = context;
  return Object.keys(trace).length === 0 ? undefined : trace;
}
