import type { IncomingMessage, ServerResponse } from "node:http";

/** A response of the sandbox's pages or its control API. */
export interface OwnResponse {
  /** Default: 200. */
  readonly status?: number;
  /** Default: JSON. */
  readonly type?: "text/html" | "text/css" | "text/javascript";
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const json = (value: unknown): OwnResponse => ({ body: JSON.stringify(value) });

export const errorResponse = (
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): OwnResponse => ({ ...json({ success: false, error }), status, headers });

/**
 * The headers of everything but the service: no other site may frame it, load it or read it.
 *
 * @param policy - What a page may load, as directives of a content security policy.
 */
export const pageHeaders = (policy: string): Readonly<Record<string, string>> => ({
  "content-security-policy": `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // Not `no-referrer`: a browser would then send the page's own forms with the origin `null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
});

/** Sets {@link pageHeaders} for everything but the service. */
export function protect(response: ServerResponse, policy = "form-action 'none'"): void {
  for (const [name, value] of Object.entries(pageHeaders(policy))) response.setHeader(name, value);
}

export function respond(response: ServerResponse, own: OwnResponse): void {
  const { status = 200, type, body, headers } = own;
  const contentType = type === undefined ? "application/json" : `${type}; charset=utf-8`;
  response.writeHead(status, { "content-type": contentType, ...headers });
  response.end(body);
}

/** The body of a request; `undefined` if it is larger than `maxBytes`, or breaks off. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      length += chunk.length;
      // The rest is read and thrown away: a client that is still sending does not read the response.
      if (length <= maxBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return length > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}
