import { nodeHandler } from "malipo/node";
import { createWebhookReceiver, verifyWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { PHONE, type SandboxPage, sandboxPageSuite } from "./sandbox-page.ts";

describe.skipIf(!hasChromium)("deliveries on the sandbox's page", () => {
  const open = sandboxPageSuite();

  test("says why a delivery failed, and sends it again when the receiver works", async () => {
    const { deliveries, receive, pay, sandbox } = await open();
    let broken = true;
    const bodies: string[] = [];
    await receive(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(broken ? 500 : 200).end(broken ? "the database is down" : "");
    });
    await pay();
    sandbox.phone(PHONE).approve();
    await deliveries.getByText("Not 200: the receiver failed with 500").waitFor();
    await deliveries.getByText("Retry at 09:00:10").waitFor();
    await deliveries.first().locator("a").first().click();
    await deliveries.getByText("the database is down").waitFor();
    broken = false;
    await deliveries.getByRole("button", { name: "Send again" }).click();
    await deliveries.getByText("Delivered").waitFor();
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
    const [{ signature } = { signature: "" }] = sandbox.deliveries.all();
    const { webhookSecret: secret } = sandbox;
    expect(verifyWebhook({ body: bodies[0] ?? "", signature, secret }).event).toBe(
      "payment.completed",
    );
    expect(await deliveries.locator(".signature").textContent()).toContain(signature);
    expect(await deliveries.locator(".raw").first().textContent()).toContain(bodies[0]);
  });

  const silent = { onError: () => {} };
  test.each<[string, (secret: string) => Promise<Parameters<SandboxPage["receive"]>[0]>]>([
    [
      "Wrong secret, most likely",
      async () => nodeHandler(createWebhookReceiver({ secret: "another", ...silent })),
    ],
    [
      "The clock: too old for the receiver",
      async (secret) =>
        nodeHandler(createWebhookReceiver({ secret, maxAgeSeconds: 300, ...silent })),
    ],
    [
      "The body was parsed before it was verified",
      async (secret) => {
        const { default: express } = await import("express");
        const receiver = createWebhookReceiver({ secret, ...silent });
        return express().use(express.json()).use(nodeHandler(receiver));
      },
    ],
    [
      "The receiver returned 204, not 200",
      async () => (_, response) => response.writeHead(204).end(),
    ],
    [
      "The receiver closed the connection without a response",
      async () =>
        ({ socket }) =>
          socket.destroy(),
    ],
  ])("names the defect of a receiver: %s", async (reason, make) => {
    const { deliveries, receive, sandbox, pay } = await open();
    await receive(await make(sandbox.webhookSecret));
    await pay();
    sandbox.phone(PHONE).approve();
    await deliveries.getByText(reason).waitFor();
  });
});
