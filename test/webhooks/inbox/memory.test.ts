import { memoryInbox } from "malipo/webhooks";
import { inboxSuite } from "../../conformance/inbox.ts";

inboxSuite("memoryInbox", {
  isAlone: true,
  fresh: async () => {
    const inbox = memoryInbox({ pace: { leaseMs: 1_500, backoffMs: () => 5 } });
    return { open: () => inbox };
  },
});
