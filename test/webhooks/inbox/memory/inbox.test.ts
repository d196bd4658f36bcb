import { memoryInbox } from "malipo/webhooks";
import { inboxSuite } from "../../../suites/inbox.ts";

inboxSuite("memoryInbox", {
  isSingleProcess: true,
  fresh: async ({ retentionMs, retriesLate } = {}) => {
    const backoffMs = () => (retriesLate ? 60_000 : 5);
    const inbox = memoryInbox({
      pace: { leaseMs: 1_500, backoffMs, minRetentionMs: 1 },
      retentionMs,
    });
    return { open: () => inbox };
  },
});
