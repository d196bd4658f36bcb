import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { fetchHandler } from "malipo/fetch";
import { createSandbox } from "malipo/sandbox";
import { createWebhookReceiver } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { sqliteInbox } from "../support/stores/sqlite-inbox.ts";

const START = "2030-06-01T12:00:00.000Z";

describe("startAt", () => {
  test("virtual time begins there, and again after a reset", async () => {
    const sandbox = createSandbox({ startAt: new Date(START) });
    expect(sandbox.clock.now().toISOString()).toBe(START);
    await sandbox.clock.advance("1h");
    sandbox.reset();
    expect(sandbox.clock.now().toISOString()).toBe(START);
  });

  test("a snapshot keeps when its time began", () => {
    const snapshot = createSandbox({ startAt: new Date(START) }).snapshot();
    expect(snapshot).toMatchObject({ startedAt: Date.parse(START) });
    const sandbox = createSandbox();
    sandbox.restore(snapshot);
    expect(sandbox.clock.now().toISOString()).toBe(START);
  });

  test.each([
    [{ startAt: "2030-06-01" }, "`startAt` must be a valid Date; got a string"],
    [{ startAt: new Date("never") }, "`startAt` must be a valid Date"],
    [{ startAt: new Date(), clock: "real" }, "`startAt` is for virtual time"],
  ])("%o is rejected", (options, message) => {
    const create = () => createSandbox(options as Parameters<typeof createSandbox>[0]);
    expect(create).toThrow(expect.objectContaining({ code: "configuration" }));
    expect(create).toThrow(message);
  });

  test("a durable inbox processes the events of virtual time that starts today", async () => {
    let handler: ReturnType<typeof fetchHandler> | undefined;
    const deliver = async (request: Request) => (await handler?.(request)) ?? Response.error();
    const sandbox = createSandbox({ startAt: new Date(), deliver });
    const inbox = sqliteInbox(join(mkdtempSync(join(tmpdir(), "malipo-start-")), "inbox.db"));
    const receiver = createWebhookReceiver({ secret: sandbox.webhookSecret, inbox });
    handler = fetchHandler(receiver);
    const handled = new Promise((resolve) => {
      receiver.on("payment.initiated", ({ data }) => resolve(data.reference));
    });
    await receiver.start();
    const { baseUrl, fetch, keys } = sandbox;
    const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
    const events = ["payment.initiated"];
    await gateway.webhooks.register({ name: "shop", url: "https://shop.test/hook", events });
    const payment = await gateway.mobileMoney.initiate({ amount: 1, phone: "0712345678" });
    expect(await handled).toBe(payment.reference);
    await receiver.stop();
  });
});
