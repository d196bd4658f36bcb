import { once as onceEvent } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { createWakeups } from "malipo";
import { type StatusHandlerOptions, statusHandler } from "malipo/status";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { gatewayWith } from "../support/gateway.ts";
import { status } from "../support/responses.ts";
import { createShop, ORDER, PHONE } from "../support/shop.ts";
import { paid, REFERENCE } from "../support/waits.ts";

const PAGE = "https://shop.test/orders/42/payment";
const reference = () => REFERENCE;
const request = (accept = "application/json", init: RequestInit = {}) =>
  new Request(PAGE, { headers: { accept }, ...init });
const streamRequest = (init?: RequestInit) => request("text/event-stream", init);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A route, and how often it read the gateway. */
function routeMeeting(
  steps: Parameters<typeof gatewayWith>[0],
  options: Partial<StatusHandlerOptions> = {},
) {
  const { gateway, sent } = gatewayWith(steps, { maxRetries: 0 });
  return { route: statusHandler(gateway, { reference, ...options }), reads: () => sent.length };
}

/** The events of a stream, until it ends. */
async function eventsOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
}

const pending = { status: "pending", final: false };
const completed = { status: "completed", final: true };

test.each([undefined, null, ""])("a payment without a reference is not found: %j", async (none) => {
  const { route, reads } = routeMeeting([], { reference: async () => none });
  for (const one of [request(), streamRequest()]) expect((await route(one)).status).toBe(404);
  expect(reads()).toBe(0);
});

describe("10,000 open pages of one payment", () => {
  const PAGES = 10_000;

  test("cost one read of the gateway at a time, and all of them learn how it ended", async () => {
    const steps = [paid("pending"), paid("pending"), paid("pending"), paid("completed")];
    const { route, reads } = routeMeeting(steps);
    const pages = await Promise.all(Array.from({ length: PAGES }, () => route(streamRequest())));
    const shown = Promise.all(pages.map(eventsOf));
    const readsAfter: number[] = [];
    for (const second of [0, 2, 5, 8]) {
      await vi.advanceTimersByTimeAsync(second === 0 ? 0 : 3_200);
      readsAfter.push(reads());
    }
    expect(readsAfter).toEqual([1, 2, 3, 4]);
    for (const events of await shown) expect(events).toEqual([pending, completed]);
  });

  test("cost one read for each wake-up", async () => {
    const wakeups = createWakeups();
    const { route, reads } = routeMeeting([paid("pending"), paid("completed")], {
      wake: wakeups.wake,
    });
    const pages = await Promise.all(Array.from({ length: PAGES }, () => route(streamRequest())));
    const shown = Promise.all(pages.map(eventsOf));
    await vi.advanceTimersByTimeAsync(0);
    wakeups.notify(REFERENCE);
    await vi.advanceTimersByTimeAsync(0);
    expect(await shown).toHaveLength(PAGES);
    expect(reads()).toBe(2);
  });

  test("that poll cost one read for each interval", async () => {
    const { route, reads } = routeMeeting([paid("pending")]);
    for (let poll = 0; poll < 4; poll++) {
      const responses = await Promise.all(Array.from({ length: PAGES }, () => route(request())));
      expect(await responses.at(-1)?.json()).toEqual(pending);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    // At the start, and after 2 s.
    expect(reads()).toBe(2);
  });
});

describe("a status route", () => {
  test("tells only the status and what the customer may know", async () => {
    vi.useRealTimers();
    const { sandbox, shop } = createShop();
    const { gateway } = shop();
    const started = await gateway.mobileMoney.initiate(ORDER);
    const route = statusHandler(gateway, { reference: () => started.reference });
    sandbox.phone(PHONE).cancel();
    const response = await route(request());
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({
      status: "failed",
      final: true,
      user_message: expect.any(String),
      retry_possible: true,
    });
    for (const secret of [started.reference, "712345678", ORDER.account_reference]) {
      expect(text).not.toContain(secret);
    }
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("responds 404 if the request may see no payment, and reads nothing", async () => {
    const { route, reads } = routeMeeting([paid("pending")], { reference: async () => undefined });
    expect((await route(request())).status).toBe(404);
    expect(reads()).toBe(0);
  });

  test("responds 405 to anything but GET", async () => {
    const { route } = routeMeeting([paid("pending")]);
    const response = await route(request(undefined, { method: "POST" }));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  });

  test("responds 503 if the payment cannot be read, and reads it again after 15 s", async () => {
    const { route, reads } = routeMeeting([status(401), paid("completed")]);
    for (let second = 0; second < 14; second++) {
      const response = await route(request());
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(reads()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await (await route(request())).json()).toEqual(completed);
  });

  test("responds 503 if the gateway does not respond in 10 s", async () => {
    const { route } = routeMeeting([() => new Promise<Response>(() => {})]);
    const responding = route(request());
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await responding).status).toBe(503);
  });

  test("reads no more once the last page has left", async () => {
    const { route, reads } = routeMeeting([paid("pending")]);
    const leaving = new AbortController();
    const left = await route(streamRequest({ signal: leaving.signal }));
    const cancelled = await route(streamRequest());
    await vi.advanceTimersByTimeAsync(0);
    leaving.abort();
    await cancelled.body?.cancel();
    expect(await eventsOf(left)).toEqual([pending]);
    await vi.advanceTimersByTimeAsync(15_000);
    const readsBefore = reads();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reads()).toBe(readsBefore);
  });

  test("goes on for more than the hour of one wait while a page is open", async () => {
    const { route } = routeMeeting([
      ...Array.from({ length: 200 }, () => paid("pending")),
      paid("completed"),
    ]);
    const events = eventsOf(await route(streamRequest()));
    await vi.advanceTimersByTimeAsync(2 * 3_600_000);
    expect(await events).toEqual([pending, completed]);
  });

  test("keeps a silent stream open with comments", async () => {
    const { route } = routeMeeting([paid("pending")]);
    const leaving = new AbortController();
    const response = await route(streamRequest({ signal: leaving.signal }));
    await vi.advanceTimersByTimeAsync(60_000);
    leaving.abort();
    expect((await response.text()).match(/^: ping$/gm)).toHaveLength(3);
  });

  test.each([
    ["no reference", {}, "`reference` must be a function"],
    ["an unknown option", { reference, refrence: reference }, "has no option"],
    ["a limit of 0", { reference, maxWaits: 0 }, "`maxWaits` must be"],
    ["a wake that is not a function", { reference, wake: 7 }, "`wake` must be a function"],
  ])("rejects %s", (_, options, message) => {
    const { gateway } = gatewayWith([paid("pending")]);
    expect(() => statusHandler(gateway, options as StatusHandlerOptions)).toThrow(message);
  });
});

describe("beyond the limit of waits", () => {
  const named = (request: Request) => new URL(request.url).searchParams.get("payment") ?? "";
  const requestOf = (payment: number, accept = "application/json") =>
    new Request(`${PAGE}?payment=PAY-${payment}`, { headers: { accept } });

  test("a page learns the status as it is, of one read that all share", async () => {
    const { route, reads } = routeMeeting([paid("pending")], { reference: named, maxWaits: 1 });
    await route(requestOf(1));
    expect(reads()).toBe(1);
    const more = await Promise.all(
      ["application/json", "text/event-stream"].flatMap((accept) =>
        Array.from({ length: 50 }, () => route(requestOf(2, accept))),
      ),
    );
    expect(await more[0]?.json()).toEqual(pending);
    expect(await eventsOf(more[99] as Response)).toEqual([pending]);
    expect(reads()).toBe(2);
    await vi.advanceTimersByTimeAsync(20_000);
    const readsBefore = reads();
    await route(requestOf(2));
    await vi.advanceTimersByTimeAsync(10_000);
    // Now it may wait: the first page has left.
    expect(reads()).toBeGreaterThan(readsBefore + 1);
  });

  test("a final status is told as it is", async () => {
    const { route } = routeMeeting([paid("pending"), paid("completed")], {
      reference: named,
      maxWaits: 1,
    });
    await route(requestOf(1));
    expect(await (await route(requestOf(2))).json()).toEqual(completed);
  });
});

test("a payment that the service does not know is 404, also for a page that listens", async () => {
  const { route, reads } = routeMeeting([status(404)]);
  const first = route(request());
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await first).status).toBe(503);
  await vi.advanceTimersByTimeAsync(10_000);
  for (const accept of ["application/json", "text/event-stream"]) {
    expect((await route(request(accept))).status).toBe(404);
  }
  const readsBefore = reads();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads()).toBe(readsBefore);
});

test("300 pages on real sockets cost the reads of one", async () => {
  vi.useRealTimers();
  const wakeups = createWakeups();
  const { route, reads } = routeMeeting([paid("pending"), paid("completed")], {
    wake: wakeups.wake,
  });
  const server = createServer(async (incoming, outgoing) => {
    const response = await route(streamRequest());
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    await pipeline(response.body ?? [], outgoing);
    incoming.resume();
  }).listen(0, "127.0.0.1");
  await onceEvent(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const responses = await Promise.all(Array.from({ length: 300 }, () => fetch(url)));
  const shown = Promise.all(responses.map(eventsOf));
  wakeups.notify(REFERENCE);
  for (const events of await shown) expect(events.at(-1)).toEqual(completed);
  expect(reads()).toBeLessThanOrEqual(2);
  server.close();
});
