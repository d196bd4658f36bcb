import { memoryInbox } from "malipo/webhooks";
import { inboxSuite } from "../../../suites/inbox.ts";
import { drainSuite } from "../../../suites/inbox-drain.ts";
import { ledgerSuite } from "../../../suites/inbox-ledger.ts";
import type { InboxUnderTest } from "../../../suites/inbox-stage.ts";

const UNDER_TEST: InboxUnderTest = {
  isSingleProcess: true,
  fresh: async ({ retentionMs, retriesLate } = {}) => {
    const backoffMs = () => (retriesLate ? 60_000 : 5);
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
