import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { build } from "esbuild";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { browserForSuite } from "./browser-for-suite.ts";

/** Bundles a merchant's script for browsers, with the package as it is installed. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    platform: "browser",
    define: { "process.env.NODE_ENV": '"development"' },
    // Our own options resolve the package to its sources; a merchant's do not.
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? "";
}

/** A route of the merchant's own server. */
export type Route = (request: Request) => Promise<Response>;

async function serveSite(script: string, route: Route): Promise<Server> {
  const site = createServer(async (request, response) => {
    if (request.url?.startsWith("/orders/")) {
      const address = new URL(request.url, "http://shop.test");
      const headers = { accept: request.headers.accept ?? "" };
      const result = await route(new Request(address, { headers }));
      response.writeHead(result.status, Object.fromEntries(result.headers));
      await pipeline(result.body ?? [], response).catch(() => {});
      return;
    }
    const isScript = request.url === "/site.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(
      isScript ? script : "<!doctype html><body><main></main><script src=/site.js></script>",
    );
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  return site;
}

/**
 * A merchant's page in a browser, for the tests of a suite: a script at `/site.js`, and a served
 * sandbox on another origin.
 *
 * @param route - Serves the site's own `/orders/`.
 */
export function bundledSite(contents: string, route?: (sandbox: Sandbox) => Route) {
  const sandbox = createSandbox();
  const browser = browserForSuite();
  let site: Server;
  let service: ServedSandbox;
  let page: Page;
  /** URLs that the page requests from the service. */
  const requests: string[] = [];
  const errors: string[] = [];

  beforeAll(async () => {
    const ordersRoute = route?.(sandbox) ?? (async () => new Response(null, { status: 404 }));
    site = await serveSite(await bundle(contents), ordersRoute);
    service = await sandbox.serve({ port: 0 });
    page = await browser().newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      if (request.url().startsWith(service.url)) requests.push(request.url());
    });
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await service?.close();
    site?.close();
  });

  return { sandbox, service: () => service, page: () => page, requests, errors };
}
