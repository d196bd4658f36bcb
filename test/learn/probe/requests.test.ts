import { expect, test } from "vitest";
import { probeAtOnce } from "../../sandbox/profile/probe-at-once.ts";
import { dialect } from "../../support/dialects/index.ts";

// They have no parameter, or a rare one, so that most questions about paging stay open.
test.each(["adyen", "razorpay"])(
  "a probe that pays and writes sends at most 60 requests to %s, although some fail",
  async (name) => {
    let requests = 0;
    let last = "";
    const onRequest = (line: string, status: number) => {
      // The same read again after a success is a wait for the payment. After a failure it is one more request.
      if (line !== last) requests++;
      last = status < 400 ? line : "";
    };
    await probeAtOnce(dialect(name), { prompt: true, faults: "some", onRequest });
    expect(requests).toBeGreaterThan(40);
    expect(requests).toBeLessThanOrEqual(60);
  },
);
