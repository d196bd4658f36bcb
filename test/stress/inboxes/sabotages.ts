import type { Change, Sabotages } from "../harness/bundle.ts";
import { NEW_KIND } from "./settings.ts";

/** Receivers that break a promise. */
export const INBOX_SABOTAGES: Sabotages = {
  // It acknowledges deliveries that it has not stored.
  "early-acknowledgement": {
    file: "webhooks/receiver/store-event.ts",
    from: "const receipt = await settings.inbox.accept(delivery);",
    to: `setTimeout(() => void settings.inbox.accept(delivery).catch(() => {}), 100);
      const receipt = receiptFor("accepted");`,
    breaks: "lost",
  },
  // It ends by itself, with its hundredth delivery.
  "early-end": {
    file: "webhooks/receiver/store-event.ts",
    from: "const receipt = await settings.inbox.accept(delivery);",
    to: `const receipt = await settings.inbox.accept(delivery);
      globalThis.deliveries = (globalThis.deliveries ?? 0) + 1;
      if (globalThis.deliveries === 100) process.exit();`,
    breaks: "died",
  },
};

/** Makes the package one that documents another kind of event. */
export const NEXT_VERSION: Change = {
  file: "contract/events.ts",
  from: "export const EVENT_KINDS = [",
  to: `export const EVENT_KINDS = [ ${JSON.stringify(NEW_KIND)},`,
};
