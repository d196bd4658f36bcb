import type { CommandName } from "./commands.ts";

/** A body for each command that takes one. Nothing is left to fill in but an id in a path. */
export const BODY_EXAMPLES: Readonly<Partial<Record<CommandName, object>>> = {
  pay: { amount: 100, phone: "0712345678", account_reference: "ORDER-17" },
  "phone/balance": { balance: "50.00" },
  "phone/always": { answer: "cancel" },
  clock: { by: "61s" },
  "webhooks/register": { url: "http://localhost:3000/webhooks" },
  "webhooks/test": { event: "payment.failed" },
  "faults/add": { kind: "lostResponse", endpoint: "mobileMoney.initiate" },
  "keys/revoke": { key: "secret" },
  chaos: { duplicate: 0.3, lostResponses: 0.1, seed: "42" },
  restore: { snapshot: {} },
  reset: { keep_receivers: "yes" },
};
