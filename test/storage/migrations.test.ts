import { expect, test } from "vitest";
import { ORDERS } from "../../src/checkout/orders/tables.ts";
import { KEYS } from "../../src/idempotency/tables.ts";
import type { Component } from "../../src/storage/component.ts";
import { INBOX } from "../../src/webhooks/inbox/tables.ts";
import { seatsOf } from "./seat-formats.ts";

test.each<[name: string, component: Component]>([
  ["keys", KEYS],
  ["events", INBOX],
  ["orders", ORDERS],
  ["the tests", seatsOf(3)],
])("the version before each step may use the tables of %s after it", (_, { migrations }) => {
  for (const [at, { format, readableSince = format }] of migrations.entries()) {
    const previous = migrations[at - 1]?.format ?? format;
    expect(format).toBeGreaterThanOrEqual(previous);
    expect(readableSince).toBeLessThanOrEqual(previous);
  }
});
