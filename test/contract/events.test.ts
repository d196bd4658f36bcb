import { expect, test } from "vitest";
import { EVENT_KINDS } from "../../src/contract/events.ts";

test("EVENT_KINDS has the eight documented kinds of event", () => {
  expect([...EVENT_KINDS].sort()).toEqual(
    [
      "payment.completed",
      "payment.failed",
      "payment.initiated",
      "invoice.created",
      "invoice.paid",
      "invoice.overdue",
      "subscription.created",
      "subscription.canceled",
    ].sort(),
  );
});
