import type { Inbox } from "malipo/webhooks";
import { memoryInbox } from "../../../../src/webhooks/inbox/memory/inbox.ts";
import { inboxSuite } from "../../../suites/inbox.ts";
import { clockSuite } from "../../../suites/inbox-clocks.ts";
import { drainSuite } from "../../../suites/inbox-drain.ts";
import { kindsSuite } from "../../../suites/inbox-kinds.ts";
import { ledgerSuite } from "../../../suites/inbox-ledger.ts";
import { merchantSuite } from "../../../suites/inbox-merchants.ts";
import type { InboxUnderTest } from "../../../suites/inbox-stage.ts";

const UNDER_TEST: InboxUnderTest = {
  isSingleProcess: true,
  fresh: async ({ retentionMs, retriesLate, retriesAfterMs = 5 } = {}) => {
    const backoffMs = () => (retriesLate ? 60_000 : retriesAfterMs);
    const inbox = memoryInbox({
      pace: { leaseMs: 1_500, backoffMs, minRetentionMs: 1 },
      retentionMs,
    });
    return { open: () => inbox };
  },
};

inboxSuite("memoryInbox", UNDER_TEST);
ledgerSuite("memoryInbox", UNDER_TEST);
drainSuite("memoryInbox", UNDER_TEST);
clockSuite("memoryInbox", UNDER_TEST);
merchantSuite("memoryInbox", UNDER_TEST);

kindsSuite("memoryInbox", {
  isSingleProcess: true,
  // The versions share the inbox of the first one.
  fresh: () => {
    let inbox: Inbox | undefined;
    return async () => {
      const malipo = await import("../../../../src/webhooks/inbox/memory/inbox.ts");
      return () => {
        inbox ??= malipo.memoryInbox({ pace: { leaseMs: 1_500, backoffMs: () => 5 } });
        return inbox;
      };
    };
  },
});
