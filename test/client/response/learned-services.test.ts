import { Gateway } from "malipo";
import { expect, test } from "vitest";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { probeAtOnce } from "../../sandbox/profile/probe-at-once.ts";
import { idIn } from "../../sandbox/profile/transcript.ts";
import { createDialectService, REAL_DIALECTS } from "../../support/dialects/index.ts";

test.each(REAL_DIALECTS)(
  "the client with a profile is right in every step of $name",
  async (one) => {
    const profile = await probeAtOnce(one, { prompt: true, faults: "none" });
    const service = createDialectService(one, { deliver: async () => new Response() });
    const { baseUrl, keys, fetch } = service;
    const gatewayOf = (apiKey: string) =>
      new Gateway({ apiKey, baseUrl, fetch, profile: encodeProfile(profile), maxRetries: 0 });
    const gateway = gatewayOf(keys.secret);

    const phone = "254712345678";
    const started = await gateway.mobileMoney.initiate({ amount: 50, phone });
    expect((await gateway.payments.get(started.reference)).status).toBe("pending");
    service.answer(phone, "approve");
    const paid = await gateway.payments.get(started.reference);
    expect([paid.status, paid.amount]).toEqual(["completed", "50.00"]);
    await gateway.payments.initiate({ amount: 60, phone });
    service.answer(phone, "cancel");

    const created = await gateway.invoices.create({ amount: 10, description: "Goods" });
    const id = idIn(JSON.stringify(created), one, "invoice");
    const read = await gateway.invoices.get(id);
    expect(idIn(JSON.stringify(read), one, "invoice")).toBe(id);
    await gateway.invoices.update(id, { amount: 12 });
    const hook = {
      name: "shop",
      url: "https://shop.example",
      events: ["payment.completed"] as const,
    };
    await gateway.webhooks.register({ ...hook, events: [...hook.events] });

    const lists = [gateway.payments, gateway.invoices, gateway.webhooks];
    const counts = await Promise.all(lists.map(async (list) => (await list.list()).items.length));
    expect(counts).toEqual([2, 1, 1]);
    expect((await gateway.merchant.paymentAccounts()).items).toHaveLength(1);
    await gateway.merchant.get();
    await gateway.mobileMoney.validatePhone(phone);
    await gateway.invoices.delete(id);
    await expect(gateway.invoices.get(id)).rejects.toThrow();
    await expect(gatewayOf("sk_unknown_key_00000").merchant.get()).rejects.toThrow();
    const wrong = gateway.mobileMoney.initiate({ amount: 250_001, phone });
    await expect(wrong).rejects.toThrow();
  },
);
