import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createDialectService, dialect } from "../../support/dialects/index.ts";

/** A request that a service got. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What a service responds. `undefined`: the responder has done it by itself. */
export type Response =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | undefined;

export interface Service {
  readonly baseUrl: string;
  readonly seen: readonly Seen[];
  close(): void;
}

/** A service on real HTTP that keeps every request. A string is sent as HTML. */
export async function startService(
  respond: (seen: Seen, response: ServerResponse) => Response | Promise<Response>,
): Promise<Service> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    const one: Seen = {
      method: request.method ?? "",
      path: pathname.replace(/^\/v1/, ""),
      query: search,
      key: request.headers["x-api-key"]?.toString(),
      headers: request.headers,
      body: await text(request),
    };
    seen.push(one);
    const planned = await respond(one, response);
    if (planned === undefined || response.destroyed) return;
    const { status, body, headers } = planned;
    const isHtml = typeof body === "string";
    response.writeHead(status, {
      "content-type": isHtml ? "text/html" : "application/json",
      ...headers,
    });
    response.end(isHtml ? body : body === undefined ? "" : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Fields = Record<string, unknown>;

interface LenientOptions {
  /** What is shown of a resource, by its own fields and the number that it got. */
  readonly view?: (fields: Fields, n: number) => Fields;
  /** By what a path names it. */
  readonly id?: (n: number) => string;
  readonly wrap?: (data: unknown) => unknown;
  readonly list?: (items: Fields[]) => unknown;
  /** Overrides a response. */
  readonly before?: (seen: Seen, response: ServerResponse) => Response | Promise<Response>;
  /** The response to a creation, if it is not the resource. */
  readonly created?: (n: number, fields: Fields) => unknown;
}

/** A service that accepts everything, creates from any POST, and shows resources in any form. */
export async function startLenient(options: LenientOptions = {}) {
  const { view = (fields, n) => ({ id: n, ...fields }), id = String } = options;
  const { wrap = (data) => ({ success: true, data }) } = options;
  const { list = (items) => ({ success: true, data: items }) } = options;
  const resources = new Map<string, { n: number; fields: Fields }[]>([
    ["/invoices", []],
    ["/webhooks", []],
    ["/payments", []],
    ["/merchant/payment-accounts", []],
  ]);
  let count = 0;
  const service = await startService(async (seen, response) => {
    const planned = await options.before?.(seen, response);
    if (planned !== undefined || response.writableEnded || response.destroyed) return planned;
    const { method, path } = seen;
    const root = path.replace(/\/register$/, "");
    const [, listPath = root, name] = /^(\/[a-z]+)\/([^/]+)$/.exec(root) ?? [];
    const all = resources.get(resources.has(root) ? root : listPath);
    if (method === "POST" && path.startsWith("/mobile-money")) {
      return { status: 200, body: wrap({ valid: true }) };
    }
    if (all === undefined) return { status: 200, body: wrap({ name: "Shop" }) };
    if (method === "POST") {
      const fields = JSON.parse(seen.body || "{}");
      all.push({ n: ++count, fields });
      const shown = options.created?.(count, fields) ?? wrap(view(fields, count));
      return { status: 201, body: shown };
    }
    if (resources.has(root)) {
      return { status: 200, body: list(all.map(({ fields, n }) => view(fields, n))) };
    }
    const found = all.find(({ n }) => id(n) === decodeURIComponent(name ?? ""));
    if (found === undefined) return { status: 404, body: { success: false, error: "none" } };
    if (method === "DELETE") all.splice(all.indexOf(found), 1);
    if (method === "PUT") Object.assign(found.fields, JSON.parse(seen.body));
    return { status: 200, body: wrap(view(found.fields, found.n)) };
  });
  return { ...service, resources };
}

/** A dialect on real HTTP. */
export async function startDialect(name: string) {
  const service = createDialectService(dialect(name));
  const { baseUrl, close } = await service.serve();
  const get = async (path: string): Promise<string> => {
    const response = await fetch(baseUrl + path, { headers: { "x-api-key": service.keys.secret } });
    if (response.status !== 429) return response.text();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    return get(path);
  };
  return { service, baseUrl, close, get };
}

/** A folder with key files. */
export function newFolder(keys: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "malipo-learn-"));
  const path = (name: string) => join(folder, name);
  for (const [name, key] of Object.entries(keys)) writeFileSync(path(name), `${key}\n`);
  return { folder, path };
}
