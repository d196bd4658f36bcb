import { createServer } from "node:http";

export interface ServedDialect {
  readonly port: number;
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Serves a `Request` handler with `node:http`. The service is below `/v1`. */
export async function serveDialect(
  respond: (request: Request, prefix: string) => Promise<Response>,
  port = 0,
): Promise<ServedDialect> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "GET", url = "/", headers } = incoming;
    const hasBody = method !== "GET" && method !== "HEAD";
    const request = new Request(new URL(url, "http://127.0.0.1"), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      ...(hasBody && { body: Buffer.concat(chunks) }),
    });
    const response = await respond(request, "/v1");
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as { port: number };
  return {
    port: address.port,
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
