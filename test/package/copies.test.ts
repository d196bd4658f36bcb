import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";

type Load = (entry: string) => Promise<unknown>;
const require = createRequire(import.meta.url);
const esm: Load = (entry) => import(pathToFileURL(`dist/${entry}.js`).href);
const cjs: Load = async (entry) => require(`../../dist/${entry}.cjs`);
const PAIRS: [name: string, one: Load, other: Load][] = [
  ["the ES module", esm, cjs],
  ["CommonJS", cjs, esm],
];

describe.each(PAIRS)("with the other copy of the package, %s", (_, one, other) => {
  type Malipo = typeof import("malipo");
  type Sandbox = typeof import("malipo/sandbox");
  const sandboxOf = async (load: Load) => ((await load("sandbox")) as Sandbox).createSandbox();

  test("knows a Gateway, and its own subclasses", async () => {
    const [mine, theirs] = [(await one("index")) as Malipo, (await other("index")) as Malipo];
    const options = { apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9/v1" };
    expect(new theirs.Gateway(options)).toBeInstanceOf(mine.Gateway);
    class Own extends mine.Gateway {}
    expect(new Own(options)).toBeInstanceOf(mine.Gateway);
    expect(new Own(options)).toBeInstanceOf(theirs.Gateway);
    expect(new theirs.Gateway(options)).not.toBeInstanceOf(Own);
    expect(new theirs.Gateway(options)).not.toBeInstanceOf(mine.GatewayError);
    expect({}).not.toBeInstanceOf(mine.Gateway);
    expect(undefined).not.toBeInstanceOf(mine.Gateway);
  });

  test("takes a payment with a gateway, a store, a receiver and an inbox of theirs", async () => {
    const { createCheckout } = (await one("checkout")) as typeof import("malipo/checkout");
    const { createWebhookReceiver } = (await other("webhooks")) as typeof import("malipo/webhooks");
    const { fetchHandler } = (await one("fetch")) as typeof import("malipo/fetch");
    const { sqlite } = (await one("sqlite")) as typeof import("malipo/sqlite");
    const { Gateway, memory } = (await other("index")) as Malipo;
    const sandbox = await sandboxOf(one);
    const db = memory();
    const gateway = new Gateway({
      apiKey: sandbox.keys.secret,
      baseUrl: sandbox.baseUrl,
      fetch: sandbox.fetch,
      idempotency: db,
    });
    const checkout = createCheckout({
      store: db,
      gateway,
      secret: sandbox.webhookSecret,
      onPaid: () => {},
    });
    await checkout.start();
    await checkout.pay({ id: "ORDER-1", amount: 100, phone: "0712345678" });
    expect((await checkout.get("ORDER-1"))?.id).toBe("ORDER-1");
    await checkout.stop();

    const receiver = createWebhookReceiver({ secret: "whsec_1", inbox: sqlite(":memory:") });
    receiver.on("payment.completed", () => {});
    await receiver.start();
    const response = await fetchHandler(receiver)(
      new Request("http://shop/webhooks", { method: "POST", body: "{}" }),
    );
    expect(response.status).toBe(401);
    await receiver.stop();
  });

  test("sees that a transaction of their store ended early", async () => {
    const { memory } = (await other("index")) as Malipo;
    const { createCheckout } = (await one("checkout")) as typeof import("malipo/checkout");
    const sandbox = await sandboxOf(one);
    const errors: unknown[] = [];
    const { baseUrl, fetch, keys } = sandbox;
    const checkout = createCheckout({
      store: memory(),
      gateway: { apiKey: keys.secret, baseUrl, fetch },
      secret: sandbox.webhookSecret,
      onPaid: (_order, { transaction }) => transaction((db) => db.exec("ROLLBACK")),
      onReview: () => {},
      onError: (error) => errors.push(error),
    });
    await checkout.start();
    const order = await checkout.pay({ id: "ORDER-2", amount: 100, phone: "0712345678" });
    expect(order.status).toBe("pending");
    sandbox.phone("0712345678").approve();
    const shown = async () => (await checkout.inspect("ORDER-2"))?.reviews.map(({ kind }) => kind);
    await expect.poll(shown).toContain("effect_unclear");
    await checkout.stop();
  });
});
