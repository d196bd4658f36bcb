import type { CommandName } from "./commands.ts";

/** The fields of a call of each command that takes some, beside those whose row has an example. */
export const EXAMPLES: Readonly<Partial<Record<CommandName, object>>> = {
  pay: { amount: 100, phone: "0712345678", account_reference: "ORDER-17" },
  "phone/balance": { balance: "1500.00" },
  "phone/always": { answer: "cancel" },
  clock: { by: "61s" },
  "webhooks/register": { url: "http://localhost:3000/webhooks" },
  "webhooks/test": { id: "wh_4cG7wq1Z", event: "payment.failed" },
  "deliveries/resend": { id: "dlv_4cG7wq1ZbK2m" },
  "faults/remove": { id: "flt_1" },
  "faults/add": { kind: "lostResponse", endpoint: "mobileMoney.initiate" },
  "keys/revoke": { key: "secret" },
  chaos: { duplicate: 0.3, lostResponses: 0.1, seed: "42" },
  restore: { snapshot: {} },
  reset: { keep_receivers: true },
};
