// The shop: it holds the secret key, starts the payment, and tells the page how it goes.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { buildSync } from "esbuild";
import { Gateway, isGatewayError } from "malipo";
import { statusHandler } from "malipo/status";

export interface ShopOptions {
  readonly secretKey: string;
  readonly baseUrl: string;
}

/** An order that was paid at least once. A real shop has a table of them. */
interface Order {
  readonly attempt: number;
  readonly reference: string;
}

type Result = readonly [status: number, body: object];

const MAX_FORM_BYTES = 1_000;

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
};

const here = (name: string) => new URL(`./${name}`, import.meta.url);

/** The page and its files. A real shop builds them once, with its own bundler. */
function files(): ReadonlyMap<string, readonly [type: string, text: string]> {
  const { outputFiles } = buildSync({
    entryPoints: [here("page.ts").pathname],
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    tsconfigRaw: {},
  });
  return new Map([
    ["/", ["text/html", readFileSync(here("index.html"), "utf8")]],
    ["/shop.css", ["text/css", readFileSync(here("shop.css"), "utf8")]],
    ["/page.js", ["text/javascript", outputFiles[0]?.text ?? ""]],
  ]);
}

/** Makes and checks the names of orders. No visitor can make one. */
function orderNames() {
  // A real shop keeps the secret: here, a restart forgets the orders, too.
  const secret = randomBytes(32);
  const sign = (id: string) => createHmac("sha256", secret).update(id).digest("hex");
  const create = () => {
    const id = randomBytes(6).toString("hex");
    return `${id}.${sign(id)}`;
  };
  /** The id in a name; `undefined` if this shop has not made it. */
  const idIn = (name: string): string | undefined => {
    const [id = "", signature = ""] = name.split(".");
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(id))];
    return given.length === right.length && timingSafeEqual(given, right) ? id : undefined;
  };
  return { create, idIn };
}

/** The fields of a form; `undefined` if it is too large. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection is still needed for the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_FORM_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

function problemOf(error: unknown): Result {
  if (!isGatewayError(error)) throw error;
  if (error.code === "invalid_params") return [422, { problem: "Is that number right?" }];
  if (error.code === "idempotency_conflict") {
    return [409, { problem: "A request for this order is waiting on another phone." }];
  }
  if (error.outcome === "unknown") {
    return [502, { problem: "We do not know the result. Please do not pay again." }];
  }
  return [503, { problem: "You were not charged. Please try again." }];
}

export function createShop({ secretKey, baseUrl }: ShopOptions): Server {
  const gateway = new Gateway({ apiKey: secretKey, baseUrl });
  const served = files();
  const names = orderNames();
  const orders = new Map<string, Order>();
  const orderIn = (path: string) => orders.get(names.idIn(path.split("/")[2] ?? "") ?? "");
  const status = statusHandler(gateway, {
    reference: ({ url }) => orderIn(new URL(url).pathname)?.reference,
  });

  /** However often a customer clicks: an attempt has one key, and the next begins when it has failed. */
  async function pay(id: string, phone: string): Promise<Result> {
    const { attempt = 1, reference: last } = orders.get(id) ?? {};
    try {
      const hasFailed =
        last !== undefined && (await gateway.payments.get(last)).status === "failed";
      if (last !== undefined && !hasFailed) return [200, {}];
      const next = hasFailed ? attempt + 1 : attempt;
      const { reference } = await gateway.mobileMoney.initiate(
        { amount: 1500, phone, account_reference: id },
        { idempotencyKey: `${id}/${next}` },
      );
      orders.set(id, { attempt: next, reference });
      return [200, {}];
    } catch (error) {
      return problemOf(error);
    }
  }

  async function start(request: IncomingMessage): Promise<Result> {
    // A form of another site: https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
    const { "sec-fetch-site": site = "same-origin" } = request.headers;
    if (site !== "same-origin") return [403, { problem: "Order on our own page, please." }];
    const form = await readForm(request);
    if (form === undefined) return [413, { problem: "That is too much." }];
    const id = names.idIn(form.get("order") ?? "");
    if (id === undefined) return [404, { problem: "We do not know this order. Reload the page." }];
    return pay(id, form.get("phone") ?? "");
  }

  async function follow(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accept = "" } = request.headers;
    const url = new URL(request.url ?? "/", "http://localhost");
    const { status: code, headers, body } = await status(new Request(url, { headers: { accept } }));
    response.writeHead(code, Object.fromEntries(headers));
    await pipeline(body ?? [], response).catch(() => {}); // the page has left
  }

  return createServer(async (request, response) => {
    const { method, url = "" } = request;
    const [type, text] = served.get(url) ?? [];
    if (method === "GET" && type !== undefined) {
      response.writeHead(200, { ...HEADERS, "content-type": `${type}; charset=utf-8` });
      response.end(text?.replace("{order}", names.create));
    } else if (method === "POST" && url === "/pay") {
      const [code, body] = await start(request).catch(
        () => [500, { problem: "It failed." }] as const,
      );
      // What is left of a form that is too large is not read.
      const close = code === 413 ? { connection: "close" } : {};
      response.writeHead(code, { ...HEADERS, ...close, "content-type": "application/json" });
      response.end(JSON.stringify(body));
    } else if (method === "GET" && /^\/orders\/[^/]+\/payment$/.test(url)) {
      await follow(request, response);
    } else {
      response.writeHead(404).end();
    }
  });
}

if (import.meta.main) {
  const { MALIPO_API_KEY = "", MALIPO_BASE_URL = "", PORT = "3000" } = process.env;
  createShop({ secretKey: MALIPO_API_KEY, baseUrl: MALIPO_BASE_URL }).listen(Number(PORT), () =>
    console.log(`The shop is at http://localhost:${PORT}`),
  );
}
