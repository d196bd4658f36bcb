/** Headers of one connection: each side of the proxy has its own. */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Node's raw headers alternate names and values in one list. */
export const headerPairs = (rawHeaders: readonly string[]): HeaderPairs =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );

export const headerValue = (headers: HeaderPairs, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

/** The headers that go on to the other side, with their names and their order as they are. */
export function endToEnd(headers: HeaderPairs): HeaderPairs {
  const named = (headerValue(headers, "connection") ?? "").toLowerCase().split(/\s*,\s*/);
  return headers.filter(([given]) => {
    const name = given.toLowerCase();
    // The body goes on, so its length does, too: without it, the body would be a second request.
    return !HOP_BY_HOP.test(name) && (name === "content-length" || !named.includes(name));
  });
}

/** The headers of a request to another host. */
export function requestHeaders(headers: HeaderPairs, host: string): string[] {
  const isChunked = headerValue(headers, "transfer-encoding") !== undefined;
  // The proxy has taken the body: the client waits for no second permission.
  const rest = endToEnd(headers).filter(([name]) => !/^(?:host|expect)$/i.test(name));
  return ["Host", host, ...(isChunked ? ["Transfer-Encoding", "chunked"] : []), ...rest.flat()];
}
