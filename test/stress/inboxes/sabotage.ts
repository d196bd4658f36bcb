import { type Inbox, receiptFor } from "malipo/webhooks";

/** A receiver that breaks a promise, so that the soak must fail. */
export const SABOTAGES = [
  /** It acknowledges deliveries that it has not stored. */
  "early-acknowledgement",
  /** It ends by itself. */
  "early-end",
] as const;
export type Sabotage = (typeof SABOTAGES)[number];

/** How long a receiver lives that ends by itself. */
export const EARLY_END_MS = 1_000;
const LATE_MS = 100;

/** An inbox that acknowledges first, and stores later. */
export const hasty = (inbox: Inbox): Inbox => ({
  ...inbox,
  accept: async (delivery) => {
    setTimeout(() => inbox.accept(delivery).catch(() => {}), LATE_MS);
    return receiptFor("accepted");
  },
});
