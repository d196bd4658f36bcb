// Serves the shop on Next by the shape of its files, as Next does: routes export a function for a
// method, pages export a component. `npm run shops` runs the real Next.
import { createServer, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { createElement, type ReactNode } from "react";
import { renderToReadableStream } from "react-dom/server.browser";
import Layout from "../../../examples/next/app/layout.tsx";
import OrderPage from "../../../examples/next/app/orders/[id]/page.tsx";
import { POST as order } from "../../../examples/next/app/orders/route.ts";
import StartPage from "../../../examples/next/app/page.tsx";
import { POST as receive } from "../../../examples/next/app/webhooks/route.ts";
import { register } from "../../../examples/next/instrumentation.ts";
import config from "../../../examples/next/next.config.ts";

interface Context {
  readonly params: Promise<{ id: string }>;
}

const page =
  (component: (context: Context) => ReactNode | Promise<ReactNode>) =>
  async (_request: Request, context: Context) => {
    const html = await renderToReadableStream(
      createElement(Layout, null, await component(context)),
    );
    return new Response(html, { headers: { "content-type": "text/html" } });
  };

const ROUTES: readonly (readonly [
  method: string,
  path: RegExp,
  handler: (request: Request, context: Context) => Promise<Response>,
])[] = [
  ["GET", /^\/$/, page(StartPage)],
  ["POST", /^\/orders$/, order],
  ["GET", /^\/orders\/([^/]+)$/, page(OrderPage)],
  ["POST", /^\/webhooks$/, receive],
];

function requestOf({ method = "GET", url, headers }: IncomingMessage, body: Readable): Request {
  return new Request(`http://shop.test${url}`, {
    method,
    headers: new Headers(headers as Record<string, string>),
    ...(method === "POST" && { body: Readable.toWeb(body) as ReadableStream, duplex: "half" }),
  });
}

const headers = (await config.headers()).flatMap((rule) => rule.headers);

process.env.NEXT_RUNTIME = "nodejs";
await register();
const server = createServer(async (incoming, outgoing) => {
  const route = ROUTES.find(
    ([method, path]) => method === incoming.method && path.test(`${incoming.url}`),
  );
  if (route === undefined) {
    outgoing.writeHead(404).end();
    return;
  }
  const id = decodeURIComponent(route[1].exec(`${incoming.url}`)?.[1] ?? "");
  const response = await route[2](requestOf(incoming, incoming), {
    params: Promise.resolve({ id }),
  });
  for (const { key, value } of headers) outgoing.setHeader(key, value);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
});
server.listen(Number(process.env.PORT));
