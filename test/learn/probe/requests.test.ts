import { expect, test } from "vitest";
import { probeAtOnce } from "../../sandbox/profile/probe-at-once.ts";
import { dialect } from "../../support/dialects/index.ts";

// They have no parameter, or a rare one, so that most questions about paging stay open.
test.each(["adyen", "razorpay"])(
  "a probe that pays and writes sends at most 60 requests to %s, although some fail",
  async (name) => {
    const { runs } = await probeAtOnce(dialect(name), { prompt: true, faults: "some" });
    const [run] = Object.values(runs);
    expect(run?.requests).toBeGreaterThan(40);
    expect(run?.requests).toBeLessThanOrEqual(60);
  },
);
