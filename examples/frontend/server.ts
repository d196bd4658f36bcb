// The shop: it holds the secret key, starts the payment, and sends its reference to the page.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { buildSync } from "esbuild";
import { Gateway, isGatewayError } from "malipo";

export interface ShopOptions {
  readonly secretKey: string;
  readonly publicKey: string;
  readonly baseUrl: string;
}

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

async function phoneIn(request: IncomingMessage): Promise<string> {
  const form = new Request("http://shop/", {
    method: "POST",
    headers: { "content-type": request.headers["content-type"] ?? "" },
    body: await buffer(request),
  });
  return String((await form.formData()).get("phone") ?? "");
}

export function createShop({ secretKey, publicKey, baseUrl }: ShopOptions): Server {
  const gateway = new Gateway({ apiKey: secretKey, baseUrl });
  const served = files();

  async function pay(request: IncomingMessage): Promise<readonly [status: number, body: object]> {
    const orderId = randomUUID().slice(0, 12);
    try {
      const { reference } = await gateway.mobileMoney.initiate(
        { amount: 1500, phone: await phoneIn(request), account_reference: orderId },
        { idempotencyKey: `${orderId}/1` },
      );
      return [200, { reference, shop: { publicKey, baseUrl } }];
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      if (error.code === "invalid_params") return [422, { problem: "Is that number right?" }];
      if (error.outcome === "unknown") {
        return [502, { problem: "We do not know the result. Please do not pay again." }];
      }
      return [503, { problem: "You were not charged. Please try again." }];
    }
  }

  return createServer(async (request, response) => {
    const file = served.get(request.url ?? "");
    if (request.method === "GET" && file !== undefined) {
      response.setHeader("content-type", `${file[0]}; charset=utf-8`).end(file[1]);
    } else if (request.method === "POST" && request.url === "/pay") {
      const [status, body] = await pay(request).catch(
        () => [500, { problem: "It failed." }] as const,
      );
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    } else {
      response.writeHead(404).end();
    }
  });
}

if (import.meta.main) {
  const { MALIPO_API_KEY = "", MALIPO_PUBLIC_KEY = "", MALIPO_BASE_URL = "" } = process.env;
  const { PORT = "3000" } = process.env;
  createShop({
    secretKey: MALIPO_API_KEY,
    publicKey: MALIPO_PUBLIC_KEY,
    baseUrl: MALIPO_BASE_URL,
  }).listen(Number(PORT), () => console.log(`The shop is at http://localhost:${PORT}`));
}
