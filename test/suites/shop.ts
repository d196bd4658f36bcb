import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ShopProgram } from "../docs/support/shop-process.ts";
import { shopRows } from "../support/shop-rows.ts";
import { openShopStage, type ShopStage } from "./shop-stage.ts";

interface ShopSuite {
  /** What ends the process after SIGTERM: an exit code, or a signal. */
  readonly endsWith: number | NodeJS.Signals;
  /** Also waits until the lease of a killed call is over, which takes half a minute. */
  readonly withLease?: boolean;
}

/** Every shop of the examples does this, as a process, against a served sandbox. */
export function describeShop(
  name: string,
  prepare: () => ShopProgram | Promise<ShopProgram>,
  { endsWith, withLease = false }: ShopSuite,
): void {
  describe(`the shop on ${name}`, () => {
    let stage: ShopStage;
    let version = "";
    const note = shopRows(() => `${name} ${version}`);
    beforeAll(async () => {
      const program = await prepare();
      version = program.version ?? "";
      stage = await openShopStage(program);
    });
    afterAll(() => stage?.close());

    const phoneOf = (() => {
      let phones = 0;
      return () => `07120004${String(phones++).padStart(2, "0")}`;
    })();
    const shows = async (order: string, text: RegExp) => {
      let page = "";
      const read = async () => {
        page = (await stage.get(`/orders/${order}`)).text;
        return page;
      };
      await expect.poll(read).toMatch(text);
      note(page.match(text)?.[0]);
    };
    const prompted = (phone: string) =>
      expect.poll(() => stage.sandbox.phone(phone).prompt).toBeDefined();

    /** An order whose customer has a prompt. */
    async function waitingOrder(): Promise<{ order: string; phone: string }> {
      const [order, phone] = [await stage.newOrder(), phoneOf()];
      const { status, text, html } = await stage.order(order, phone);
      expect([status, text]).toEqual([200, expect.stringContaining("Enter your PIN")]);
      expect(html).toMatch(/http-equiv="refresh"/i);
      return { order, phone };
    }

    test("shows the customer that the order is paid", async () => {
      const { order, phone } = await waitingOrder();
      stage.sandbox.phone(phone).approve();
      await shows(order, /Paid\. Thank you\./);
      expect((await stage.get(`/orders/${order}`)).html).not.toMatch(/http-equiv="refresh"/i);
      expect(await stage.payments(order)).toHaveLength(1);
    });

    test.for([
      ["cancels", "cancel", /Not paid\. .*cancelled/],
      ["enters a wrong PIN", "enterWrongPin", /Not paid\. .*PIN was wrong/],
      ["ignores the prompt", "ignore", /Not paid\. .*again/],
    ] as const)(
      "says why it is not paid when the customer %s, and takes another payment",
      async ([, act, text]) => {
        const { order, phone } = await waitingOrder();
        stage.sandbox.phone(phone)[act]();
        await stage.sandbox.clock.advance("61s");
        await shows(order, text);
        // A double click on "Pay again" is one payment too.
        const again = () => stage.order(order, phone, { after: "1" });
        const clicks = await Promise.all([again(), again()]);
        expect(clicks.map(({ status }) => status)).toEqual([200, 200]);
        await prompted(phone);
        stage.sandbox.phone(phone).approve();
        await shows(order, /Paid\. Thank you\./);
        await again();
        expect(await stage.payments(order)).toHaveLength(2);
      },
    );

    test("prompts once for a double click", async () => {
      const [order, phone] = [await stage.newOrder(), phoneOf()];
      await Promise.all([1, 2, 3].map(() => stage.order(order, phone)));
      await shows(order, /Enter your PIN/);
      expect(await stage.payments(order)).toHaveLength(1);
    });

    test("decides the amount itself, and rejects a form that is not its own", async () => {
      const [order, phone] = [await stage.newOrder(), phoneOf()];
      await stage.order(order, phone, { amount: "1", price: "1" });
      const [payment] = await stage.payments(order);
      expect(Number(payment?.amount)).toBe(1500);
      const another = await stage.newOrder();
      expect((await stage.order(another, phone, { item: "toString" })).status).toBe(400);
      expect((await stage.order("<b>", phone)).status).toBe(400);
      expect((await stage.get(`/orders/${another}`)).text).toContain("does not exist");
    });

    test("rejects a number that cannot be charged, and a form of another site, and prompts no one", async () => {
      const order = await stage.newOrder();
      const wrong = await stage.order(order, '"><script>alert(1)</script>');
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("number right")]);
      const elsewhere = await stage.order(order, phoneOf(), {}, { "sec-fetch-site": "cross-site" });
      expect(elsewhere.status).toBe(400);
      expect((await stage.get(`/orders/${order}`)).text).toContain("does not exist");
    });

    test("lets no cache keep a page, and no other site frame it", async () => {
      const { order } = await waitingOrder();
      const { headers } = await fetch(`${stage.url}/orders/${order}`);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("content-security-policy")).toBe("frame-ancestors 'none'");
    });

    test("accepts no forged event, and keeps a paid order paid", async () => {
      const { order, phone } = await waitingOrder();
      const [payment] = await stage.payments(order);
      const event = (status: "completed" | "failed") => ({
        event: `payment.${status}`,
        timestamp: new Date().toISOString(),
        data: {
          reference: payment?.reference,
          account_reference: order,
          amount: "1500.00",
          status,
        },
      });
      expect(await stage.deliver(event("completed"), "whsec_forged")).toBe("signature mismatch");
      await shows(order, /Enter your PIN/);
      stage.sandbox.phone(phone).approve();
      await shows(order, /Paid\. Thank you\./);
      const delivery = stage.sandbox.deliveries
        .all()
        .findLast(({ event, body }) => event === "payment.completed" && body.includes(order));
      await stage.sandbox.deliveries.resend(delivery?.id ?? "");
      expect(await stage.deliver(event("failed"))).toBe("received");
      expect(await stage.deliver(event("failed"))).toBe("received before");
      await shows(order, /Paid\. Thank you\./);
    });

    test("finds the payment whose response was lost", async () => {
      const [order, phone] = [await stage.newOrder(), phoneOf()];
      stage.sandbox.faults.add({
        match: { endpoint: "mobileMoney.initiate" },
        effect: { kind: "lostResponse" },
      });
      await stage.order(order, phone);
      await shows(order, /Enter your PIN/);
      stage.sandbox.phone(phone).approve();
      await shows(order, /Paid\. Thank you\./);
      expect(await stage.payments(order)).toHaveLength(1);
    });

    test("asks no customer to pay again whose prompt may have gone out", async () => {
      stage.sandbox.faults.add({
        match: { endpoint: "mobileMoney.initiate" },
        effect: { kind: "reset" },
      });
      const order = await stage.newOrder();
      const phone = phoneOf();
      const { text } = await stage.order(order, phone);
      expect(text).toMatch(/do not pay again/);
      await stage.order(order, phone, { after: "1" });
      expect(await stage.payments(order)).toEqual([]);
    });

    test("says that nothing was charged when the service rejects the payment", async () => {
      stage.sandbox.faults.add({
        match: { endpoint: "mobileMoney.initiate" },
        effect: { kind: "status", status: 403 },
      });
      const { text } = await stage.order(await stage.newOrder(), phoneOf());
      expect(text).toMatch(/Not paid\. .*You were not charged\..*Pay again/);
    });

    test("learns after a kill -9 what the customer has paid meanwhile", async () => {
      const { order, phone } = await waitingOrder();
      expect(await stage.end("SIGKILL")).toBe("SIGKILL");
      stage.sandbox.phone(phone).approve();
      await stage.sandbox.deliveries.settled();
      await stage.restart();
      await shows(order, /Paid\. Thank you\./);
      await stage.sandbox.clock.advance("10s"); // the service sends its event again
      await shows(order, /Paid\. Thank you\./);
      expect(await stage.payments(order)).toHaveLength(1);
    });

    test.runIf(withLease)("prompts once if it is killed while it asks the phone", async () => {
      stage.sandbox.faults.add({
        match: { endpoint: "mobileMoney.initiate" },
        effect: { kind: "latency", ms: 3_000 },
      });
      const [order, phone] = [await stage.newOrder(), phoneOf()];
      const posted = stage.order(order, phone).catch(() => {});
      await stage.faultIsUsed();
      // The request is on its way, and the caller has left before the response.
      stage.signal("SIGSTOP");
      await prompted(phone);
      expect(await stage.end("SIGKILL")).toBe("SIGKILL");
      await posted;
      await stage.restart();
      stage.sandbox.phone(phone).approve();
      await expect
        .poll(async () => (await stage.get(`/orders/${order}`)).text)
        .toMatch(/Paid\. Thank you\./);
      expect(await stage.payments(order)).toHaveLength(1);
    });

    test("prints no secret, and stops at SIGTERM", async () => {
      expect(stage.printed()).not.toContain(stage.sandbox.keys.secret);
      expect(stage.printed()).not.toContain(stage.sandbox.webhookSecret);
      expect(await stage.end("SIGTERM")).toBe(endsWith);
      await stage.restart();
    });
  });
}
