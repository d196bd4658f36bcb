// Serves a module whose default export has a `fetch`, as Bun, Deno and @hono/node-server do.
import { createServer } from "node:http";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const { default: app } = await import(pathToFileURL(resolve(process.argv[2] ?? "")).href);

const server = createServer(async (incoming, outgoing) => {
  const { method = "GET", url } = incoming;
  const init = {
    method,
    headers: new Headers(incoming.headers as Record<string, string>),
    ...(method === "POST" && { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" }),
  };
  const response: Response = await app.fetch(new Request(`http://shop.test${url}`, init));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
});
server.listen(Number(process.env.PORT));
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
