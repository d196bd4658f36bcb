import { Redis } from "ioredis";
import { createCheckout } from "malipo/checkout";
import { redis } from "malipo/redis";
import { afterAll, expect, test } from "vitest";
import { engineSuite } from "../suites/engine.ts";
import { sharedRedis } from "../support/engines/shared.ts";

const { url = "" } = (await sharedRedis()) ?? {};
const client = new Redis(url, { lazyConnect: true });
afterAll(() => client.disconnect());
let prefixes = 0;
const own = () => ({ prefix: `engine:${process.pid}:${++prefixes}:`, onWarning: () => {} });

if (url !== "") {
  engineSuite("redis(url)", (options) => redis(url, { ...own(), ...options }));
  engineSuite("redis(client)", (options) => redis(client, { ...own(), ...options }));
}

test("it cannot hold the orders of a checkout, and the error says what can", () => {
  const store = redis("redis://127.0.0.1:1") as never;
  expect(() => createCheckout({ store, onPaid: () => {} })).toThrow(
    "`store` must be a store of orders: sqlite(path), postgres(url), mysql(url) or memory(); got an engine that cannot hold them.",
  );
  expect(() => redis("localhost")).toThrow(/^`source` must be an address such as redis:/);
});

test.skipIf(url === "")("a notification at one engine wakes a wait at another one", async () => {
  const [one, other] = [redis(url, own()), redis(url, own())];
  let wakes = 0;
  one.wakeups().wake("PAY-1", () => void wakes++);
  await expect
    .poll(() => {
      other.wakeups().notify("PAY-1");
      return wakes;
    })
    .toBeGreaterThan(0);
  await one.close();
  await other.close();
});
