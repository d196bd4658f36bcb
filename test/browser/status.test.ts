import { createWakeups, Gateway } from "malipo";
import { statusHandler } from "malipo/status";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { bundledSite } from "./bundled-site.ts";

/** A page that follows payments without a key: with React and without. */
const PAGE = `
  import { usePayment } from "malipo/react";
  import { followPayment } from "malipo/status";
  import { createElement, StrictMode } from "react";
  import { createRoot } from "react-dom/client";

  function Receipt({ url }) {
    const { status, isFinal, payment, error } = usePayment({ url });
    const words = [status ?? "nothing", isFinal ? "final" : "open", error?.code ?? "fine"];
    return createElement("output", null, [...words, payment?.user_message].join(" ").trim());
  }
  globalThis.mount = (url) => {
    const root = createRoot(document.querySelector("main"));
    root.render(createElement(StrictMode, null, createElement(Receipt, { url })));
    globalThis.unmount = () => root.unmount();
  };
  globalThis.follow = async (url) => {
    const seen = [];
    const onUpdate = ({ status }) => seen.push(status);
    await followPayment(url, { onUpdate }).catch(({ code }) => seen.push(code));
    return seen;
  };
`;

interface PageGlobals {
  mount(url: string): void;
  unmount(): void;
  follow(url: string): Promise<string[]>;
}

describe.skipIf(!hasChromium)("a page without a key", () => {
  const wakeups = createWakeups();
  const references = new Map<string, string>();
  let gatewayOfShop: Gateway;
  const { sandbox, page, requests, errors } = bundledSite(PAGE, ({ keys, baseUrl, fetch }) => {
    gatewayOfShop = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
    return statusHandler(gatewayOfShop, {
      reference: ({ url }) => references.get(new URL(url).pathname),
      wake: wakeups.wake,
    });
  });

  async function order(path: string, phone: string): Promise<string> {
    const { reference } = await gatewayOfShop.mobileMoney.initiate({ amount: 10, phone });
    references.set(path, reference);
    return reference;
  }
  const shows = (text: string) =>
    page().waitForFunction(
      (wanted) => document.querySelector("output")?.textContent?.startsWith(wanted),
      text,
    );

  test("follows a payment with React, and sends no request to the gateway", async () => {
    const reference = await order("/orders/1/payment", "0712000201");
    await page().evaluate(
      (url) => (globalThis as unknown as PageGlobals).mount(url),
      "/orders/1/payment",
    );
    await shows("pending open fine");
    sandbox.phone("0712000201").approve();
    wakeups.notify(reference);
    await shows("completed final fine");
    await page().evaluate(() => (globalThis as unknown as PageGlobals).unmount());
    expect(requests).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("follows a payment without React, and sends no request to the gateway", async () => {
    const reference = await order("/orders/2/payment", "0712000202");
    const followed = page().evaluate(
      (url) => (globalThis as unknown as PageGlobals).follow(url),
      "/orders/2/payment",
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    sandbox.phone("0712000202").cancel();
    wakeups.notify(reference);
    expect(await followed).toEqual(["pending", "failed"]);
    expect(requests).toEqual([]);
  });

  test("shows that the route rejects the page", async () => {
    await page().clock.install();
    /** Lets the time of the page pass, which waits between its requests. */
    async function passTime<Result>(awaited: Promise<Result>): Promise<Result> {
      let isOver = false;
      const over = awaited.finally(() => {
        isOver = true;
      });
      while (!isOver) await page().clock.runFor(1_000);
      return over;
    }
    const follow = (url: string) => (globalThis as unknown as PageGlobals).follow(url);
    const followed = page().evaluate(follow, "/orders/of-another/payment");
    expect(await passTime(followed)).toEqual(["connection"]);
    await page().evaluate(
      (url) => (globalThis as unknown as PageGlobals).mount(url),
      "/orders/3/payment",
    );
    await passTime(shows("nothing open connection"));
    expect(requests).toEqual([]);
  });
});
