import { expect, test } from "vitest";
import { LEASE_MARGIN_MS, leaseMsFor } from "../../../../src/idempotency/deadline.ts";
import * as limits from "../time-limits.ts";

test("the campaign knows the leases of the client", () => {
  expect(limits.LEASE_MARGIN_MS).toBe(LEASE_MARGIN_MS);
  expect(limits.LEASE_MS).toBe(leaseMsFor(limits.CALL_TIMEOUTS.totalTimeoutMs));
});
