import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createProxy, WEBHOOK_PATH } from "../../../src/learn/proxy.ts";
import { Recorder } from "../../../src/learn/recorder.ts";
import type { ServiceProfile } from "../../../src/profile/profile-types.ts";
import { createDialectService, type Dialect, nextCursor } from "../../support/dialects/index.ts";
import { serveDialect } from "../../support/dialects/serve.ts";
import { fieldIn, idIn } from "./transcript.ts";

type Call = (method: string, path: string, body?: object) => Promise<string>;

const EVENTS = ["payment.initiated", "payment.completed", "payment.failed", "invoice.created"];
const HOUR_MS = 3_600_000;

/** Opens a proxy in front of a service, with the receiver of a shop behind it. */
async function openProxy(dialect: Dialect, base: ServiceProfile) {
  const recorder = new Recorder({ by: "proxy", base });
  let webhooks = "";
  const service = createDialectService(dialect, {
    deliver: async (request) =>
      fetch(webhooks, {
        method: "POST",
        headers: request.headers,
        body: await request.text(),
      }),
  });
  const shop = { receiverStatus: 200 };
  const receiver = await serveDialect(
    async () => new Response(null, { status: shop.receiverStatus }),
  );
  const served = await service.serve();
  const webhooksTo = new URL(receiver.baseUrl);
  const proxy = createProxy({ to: served.baseUrl, webhooksTo, recorder, onExchange: () => {} });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  webhooks = address + WEBHOOK_PATH;
  const close = async () => {
    await service.settled();
    proxy.closeAllConnections();
    proxy.close();
    await Promise.all([served.close(), receiver.close()]);
  };
  return { recorder, service, shop, address, close };
}

/** What the proxy learns of a shop that works for a day, on top of what a probe knew. */
export async function learnThroughProxy(
  dialect: Dialect,
  base: ServiceProfile,
): Promise<ServiceProfile> {
  const { recorder, service, shop, address, close } = await openProxy(dialect, base);
  const call: Call = async (method, path, body) => {
    const response = await fetch(address + path, {
      method,
      headers: { "x-api-key": service.keys.secret },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.text();
  };
  // The proxy reads the clock of the machine; the time of the service moves in leaps.
  const realNow = Date.now;
  Date.now = () => service.now().getTime();
  try {
    await call("POST", "/webhooks/register", {
      name: "a",
      url: "https://a.example",
      events: EVENTS,
    });
    for (const [index, outcome] of (
      ["approve", "cancel", "wrongPin", "expire"] as const
    ).entries()) {
      const phone = `25471100000${index}`;
      const path = index === 1 ? "/payments/initiate" : "/mobile-money/payment/initiate";
      const started = await call("POST", path, {
        amount: 5 + index,
        phone,
        account_reference: "A-1",
      });
      const reference = fieldIn(started, "reference");
      const checkout = fieldIn(started, "checkout_request_id");
      await call("GET", `/payments/${reference}`);
      service.answer(phone, outcome);
      await service.settled();
      await call("GET", `/payments/${reference}`);
      await call("POST", "/mobile-money/payment/status", { checkout_request_id: checkout });
      await service.advance(HOUR_MS);
    }
    await invoice(call, dialect);
    await readLists(call, dialect);
    // The receiver is down: the service retries until its last attempt.
    shop.receiverStatus = 503;
    await call("POST", "/invoices", { amount: 7, description: "Seven pieces" });
    for (let minute = 0; minute < 12 * 60; minute += 10) await service.advance(HOUR_MS / 6);
  } finally {
    Date.now = realNow;
    await close();
  }
  return recorder.profile();
}

async function invoice(call: Call, dialect: Dialect): Promise<void> {
  for (let n = 1; n <= 4; n++) {
    const created = await call("POST", "/invoices", {
      amount: n * 10.5,
      description: "Goods to go",
    });
    const path = `/invoices/${idIn(created, dialect, "invoice")}`;
    await call("GET", path);
    await call("PUT", path, { amount: n * 6, description: "Other goods" });
    if (n < 3) await call("POST", `${path}/send`, {});
    await call("GET", path);
    if (n === 4) await call("DELETE", path);
  }
}

async function readLists(call: Call, dialect: Dialect): Promise<void> {
  const { paging } = dialect;
  for (const path of ["/merchant/payment-accounts", "/payments", "/invoices", "/webhooks"]) {
    const first = await call("GET", path);
    if (paging.kind === "none") continue;
    const page = await call("GET", `${path}?${paging.size}=2`);
    const cursor = nextCursor(paging, JSON.parse(page));
    const at = paging.kind === "cursor" ? cursor : 2;
    if (at !== undefined && first !== "") {
      await call("GET", `${path}?${paging.size}=2&${paging.at}=${at}`);
    }
  }
}
