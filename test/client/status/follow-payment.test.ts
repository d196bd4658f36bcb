import { followPayment, type PaymentProgress, statusHandler } from "malipo/status";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { reset, type Step } from "../support/responses.ts";
import { paid, REFERENCE } from "../support/waits.ts";

// Without an event stream, as in React Native: Node.js has no EventSource. test/browser has one.

const URL_OF_ROUTE = "https://shop.test/orders/42/payment";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The page's `fetch` reaches the shop's route, but for its first requests, which take these steps. */
function page(first: readonly Step[], reads: readonly Step[] = [paid("pending")]) {
  const { gateway } = gatewayWith(reads);
  const route = statusHandler(gateway, { reference: () => REFERENCE });
  const steps = [...first];
  let requests = 0;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    requests++;
    const step = steps.shift();
    const attempt = { method: "GET", url, headers: new Headers(), body: undefined, init };
    return step === undefined ? route(new Request(url, init)) : step(attempt);
  });
  return { requests: () => requests };
}

test("a page without an event stream polls until the final status", async () => {
  page([], [paid("pending"), paid("pending"), paid("completed")]);
  const seen: PaymentProgress[] = [];
  const following = followPayment(URL_OF_ROUTE, { onUpdate: (progress) => seen.push(progress) });
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(following).resolves.toEqual({ status: "completed", final: true });
  expect(seen.map(({ status }) => status)).toEqual(["pending", "completed"]);
});

test("a page goes on after failures of the network and of the server", async () => {
  const failing = [reset, () => new Response("no", { status: 502 }), () => new Response("{")];
  page(failing, [paid("completed")]);
  const following = followPayment(URL_OF_ROUTE);
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(following).resolves.toMatchObject({ status: "completed" });
});

test("a page cancels a request after 15 s, and sends another one", async () => {
  const silent: Step = ({ init }) =>
    new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(new Error())));
  page([silent], [paid("completed")]);
  const following = followPayment(URL_OF_ROUTE);
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(following).resolves.toMatchObject({ status: "completed" });
});

test("a page asks again for a payment that is there a moment later, and then goes on", async () => {
  const notThere: Step = () => new Response("no", { status: 404 });
  const { requests } = page([notThere, notThere, notThere], [paid("completed")]);
  const following = followPayment(URL_OF_ROUTE);
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(following).resolves.toMatchObject({ status: "completed" });
  expect(requests()).toBe(4);
});

test("a page does not ask for ever for a payment that is not there", async () => {
  const { requests } = page(
    Array.from({ length: 9 }, () => () => new Response("no", { status: 404 })),
  );
  const failed = rejection(followPayment(URL_OF_ROUTE));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await failed).toMatchObject({ code: "connection", outcome: "rejected" });
  expect((await failed).message).toContain("404");
  expect(requests()).toBe(4);
});

test.each([401, 403])("a route that rejects the page with %i ends it", async (code) => {
  const { requests } = page([() => new Response("no", { status: code })]);
  const error = await rejection(followPayment(URL_OF_ROUTE));
  expect(error).toMatchObject({ code: "connection", outcome: "rejected" });
  expect(error.message).toContain(String(code));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests()).toBe(1);
});

test("an abort ends it at once, with the reason of the signal", async () => {
  const { requests } = page([]);
  const controller = new AbortController();
  const failed = rejection(followPayment(URL_OF_ROUTE, { signal: controller.signal }));
  await vi.advanceTimersByTimeAsync(1_000);
  controller.abort("left");
  expect(await failed).toBe("left");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests()).toBe(1);
  expect(await rejection(followPayment(URL_OF_ROUTE, { signal: AbortSignal.abort("gone") }))).toBe(
    "gone",
  );
});

test("an onUpdate that throws does not end it", async () => {
  page([], [paid("completed")]);
  const onUpdate = () => {
    throw new Error("no");
  };
  const following = followPayment(URL_OF_ROUTE, { onUpdate });
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(following).resolves.toMatchObject({ final: true });
});
