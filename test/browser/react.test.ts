import { Gateway } from "malipo";
import { usePayment } from "malipo/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { bundledSite } from "./bundled-site.ts";

/** A page that shows a payment, in strict mode, and lets the test change what it shows. */
const PAGE = `
  import { Gateway } from "malipo";
  import { usePayment } from "malipo/react";
  import { createElement, StrictMode, useState } from "react";
  import { createRoot } from "react-dom/client";

  function Receipt({ gateway, reference, options }) {
    const { status, isFinal, error } = usePayment(gateway, reference, options);
    const text = [status ?? "nothing", isFinal ? "final" : "open", error?.code ?? "fine"].join(" ");
    globalThis.seen.push(text);
    return createElement("output", null, text);
  }
  function App({ gateway, first, options }) {
    const [reference, setReference] = useState(first);
    globalThis.show = setReference;
    return createElement(Receipt, { gateway, reference, options });
  }
  globalThis.mount = ({ baseUrl, apiKey, first, options }) => {
    globalThis.seen = [];
    const gateway = new Gateway({ baseUrl, apiKey });
    const root = createRoot(document.querySelector("main"));
    root.render(createElement(StrictMode, null, createElement(App, { gateway, first, options })));
    globalThis.unmount = () => root.unmount();
  };
`;

describe.skipIf(!hasChromium)("usePayment, in a browser", () => {
  const { sandbox, service, page, requests, errors } = bundledSite(PAGE);

  const reads = () => requests.filter((url) => url.includes("/payments/")).length;
  const backend = () =>
    new Gateway({ apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });
  const prompt = async (phone: string) =>
    (await backend().mobileMoney.initiate({ amount: 10, phone })).reference;
  const mount = (first: string | undefined, options?: object) =>
    page().evaluate((props) => (globalThis as unknown as PageGlobals).mount(props), {
      baseUrl: service().baseUrl,
      apiKey: sandbox.keys.public,
      first,
      options,
    });
  const shows = (text: string) =>
    page().waitForFunction(
      (wanted) => document.querySelector("output")?.textContent === wanted,
      text,
    );
  const unmount = () => page().evaluate(() => (globalThis as unknown as PageGlobals).unmount());

  test("shows a payment from pending to completed, in strict mode", async () => {
    const reference = await prompt("0712000101");
    await mount(reference);
    await shows("pending open fine");
    sandbox.phone("0712000101").approve();
    await shows("completed final fine");
    await unmount();
  });

  test("shows another payment if the reference changes, and nothing of the first one", async () => {
    const [first, second] = [await prompt("0712000102"), await prompt("0712000103")];
    sandbox.phone("0712000102").cancel();
    await mount(first);
    await shows("failed final fine");
    await page().evaluate(
      (reference) => (globalThis as unknown as PageGlobals).show(reference),
      second,
    );
    await shows("pending open fine");
    const seen = await page().evaluate(() => (globalThis as unknown as PageGlobals).seen);
    expect(seen.slice(seen.lastIndexOf("failed final fine") + 1)).not.toContain("failed open fine");
    await unmount();
  });

  test("without a reference it waits for nothing", async () => {
    const before = reads();
    await mount(undefined);
    await shows("nothing open fine");
    expect(reads()).toBe(before);
    await unmount();
  });

  test("shows that the time is up, which is not a failure of the payment", async () => {
    await mount(await prompt("0712000104"), { waitMs: 300 });
    await shows("pending open payment_pending");
    await unmount();
  });

  test("reads no more once it is unmounted", async () => {
    await page().clock.install();
    await mount(await prompt("0712000105"));
    await shows("pending open fine");
    await unmount();
    const before = reads();
    await page().clock.runFor(60_000);
    expect(reads()).toBe(before);
  });

  test("throws nothing on the page", () => {
    expect(errors).toEqual([]);
  });
});

const NEVER_ASKED = {
  payments: {
    waitFor: () => {
      throw new Error("A server waits for nothing.");
    },
  },
};

interface PageGlobals {
  mount(props: object): void;
  unmount(): void;
  show(reference: string): void;
  readonly seen: string[];
}

function Waiting() {
  const { status, isFinal, payment, error } = usePayment(NEVER_ASKED, "PAY-1");
  return createElement("p", null, JSON.stringify({ status, isFinal, payment, error }));
}

test("usePayment renders on a server, and reads nothing there", () => {
  expect(renderToString(createElement(Waiting))).toBe("<p>{&quot;isFinal&quot;:false}</p>");
});
