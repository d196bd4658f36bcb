/** The headers in which services and proxies name a request, the most exact first. */
const HEADERS = ["x-request-id", "request-id", "x-correlation-id", "cf-ray"] as const;

const MAX_LENGTH = 128;

/** The id that a service gave to a request; `undefined` if it returned none that can be printed. */
export function requestIdOf(headers: Headers | undefined): string | undefined {
  for (const name of HEADERS) {
    const id = headers?.get(name);
    if (id && /^[ -~]+$/.test(id)) return id.slice(0, MAX_LENGTH);
  }
  return undefined;
}
