import { DATA, GATEWAY, QUERY, SECRET, SET } from "./flags.ts";
import type { Command } from "./types.ts";

/** Any gateway, the real one included. */
export const GATEWAY_COMMANDS: readonly Command[] = [
  {
    name: "payments",
    summary: "read, list, start and await payments of any gateway",
    load: () => import("../commands/payments.ts"),
    forms: [
      {
        action: "get",
        summary: "Reads a payment.",
        args: [{ name: "reference" }],
        flags: GATEWAY,
        examples: ["payments get PAY-7Q2M9X4KD1TB"],
      },
      {
        action: "list",
        summary: "Lists payments, a page at a time.",
        flags: [...GATEWAY, QUERY],
        examples: ["payments list", "payments list --query page=2 --query per_page=50"],
      },
      {
        action: "initiate",
        summary: "Prompts a customer's phone for a payment. Never sent twice by itself.",
        flags: [
          ...GATEWAY,
          { name: "amount", value: "amount", summary: "above 0, at most two decimals" },
          { name: "phone", value: "number", summary: "in any usual way of writing it" },
          {
            name: "account-reference",
            value: "label",
            summary: "such as an order number; at most 12 characters",
          },
          { name: "description", value: "text", summary: "shown for the payment" },
          {
            name: "payment-account-id",
            value: "id",
            summary: "the account to pay to",
            standard: "the merchant's own default",
          },
        ],
        examples: ["payments initiate --amount 100 --phone 0712345678"],
        creates: true,
      },
      {
        action: "wait",
        summary: "Waits until a payment is completed or failed.",
        args: [{ name: "reference" }],
        flags: [
          ...GATEWAY,
          { name: "timeout", value: "duration", summary: "the longest wait", standard: "2m" },
        ],
        examples: ["payments wait PAY-7Q2M9X4KD1TB --timeout 90s"],
      },
    ],
  },
  {
    name: "invoices",
    summary: "manage the invoices of any gateway",
    load: () => import("../commands/invoices.ts"),
    forms: [
      {
        action: "list",
        summary: "Lists invoices, a page at a time.",
        flags: [...GATEWAY, QUERY],
        examples: ["invoices list --json"],
      },
      {
        action: "get",
        summary: "Reads an invoice.",
        args: [{ name: "invoice" }],
        flags: GATEWAY,
        examples: ["invoices get INV-0001"],
      },
      {
        action: "create",
        summary: "Makes an invoice. Never sent twice by itself.",
        flags: [...GATEWAY, SET, DATA],
        examples: [
          "invoices create --set customer=Asha --set amount:=1500",
          "invoices create --data @invoice.json",
        ],
        creates: true,
      },
      {
        action: "update",
        summary: "Changes an invoice.",
        args: [{ name: "invoice" }],
        flags: [...GATEWAY, SET, DATA],
        examples: ["invoices update INV-0001 --set status=paid"],
      },
      {
        action: "send",
        summary: "Sends an invoice to its customer. Never sent twice by itself.",
        args: [{ name: "invoice" }],
        flags: [...GATEWAY, SET, DATA],
        examples: ["invoices send INV-0001"],
        creates: true,
      },
      {
        action: "delete",
        summary: "Removes an invoice.",
        args: [{ name: "invoice" }],
        flags: GATEWAY,
        examples: ["invoices delete INV-0001"],
      },
    ],
  },
  {
    name: "doctor",
    summary: "check key, address, TLS, clock and receiver, and say what to mend",
    load: () => import("../commands/doctor.ts"),
    forms: [
      {
        summary: "Checks the key, the address, TLS, the clock, and a receiver of yours end to end.",
        flags: [
          ...GATEWAY,
          {
            name: "webhook",
            value: "address",
            summary: "a receiver to send a signed ping and a forged one",
          },
          SECRET,
        ],
        examples: ["doctor", "doctor --webhook http://localhost:3000/webhooks --secret whsec_1"],
      },
    ],
  },
];
