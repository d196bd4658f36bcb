import { DATA, GATEWAY, QUERY, SECRET, SECRET_FILE, SET, WAIT_TIMEOUT } from "./flags.ts";
import type { Command } from "./types.ts";

const PAYMENTS: Command = {
  name: "payments",
  summary: "read, list, start and wait for payments, on any gateway",
  load: () => import("../commands/payments.ts"),
  subcommands: [
    {
      name: "get",
      summary: "Reads a payment.",
      args: [{ name: "reference" }],
      flags: GATEWAY,
      examples: ["payments get PAY-7Q2M9X4KD1TB"],
    },
    {
      name: "list",
      summary: "Lists payments, one page at a time.",
      flags: [...GATEWAY, QUERY],
      examples: ["payments list", "payments list --query page=2 --query per_page=50"],
    },
    {
      name: "initiate",
      summary: "Prompts a customer's phone for a payment. Never retried automatically.",
      flags: [
        ...GATEWAY,
        { name: "amount", value: "amount", summary: "above 0, with at most two decimals" },
        { name: "phone", value: "number", summary: "the customer's phone, in any usual format" },
        {
          name: "account-reference",
          value: "label",
          summary: "for example an order number; at most 12 characters",
        },
        { name: "description", value: "text", summary: "a description of the payment" },
        {
          name: "payment-account-id",
          value: "id",
          summary: "the account that receives the money",
          fallback: "the merchant's default account",
        },
      ],
      examples: ["payments initiate --amount 100 --phone 0712345678"],
      creates: true,
    },
    {
      name: "wait",
      summary: "Waits until a payment is completed or failed.",
      args: [{ name: "reference" }],
      flags: [...GATEWAY, WAIT_TIMEOUT],
      examples: ["payments wait PAY-7Q2M9X4KD1TB --timeout 90s"],
    },
  ],
};

const INVOICES: Command = {
  name: "invoices",
  summary: "manage invoices, on any gateway",
  load: () => import("../commands/invoices.ts"),
  subcommands: [
    {
      name: "list",
      summary: "Lists invoices, one page at a time.",
      flags: [...GATEWAY, QUERY],
      examples: ["invoices list --json"],
    },
    {
      name: "get",
      summary: "Reads an invoice.",
      args: [{ name: "invoice" }],
      flags: GATEWAY,
      examples: ["invoices get INV-0001"],
    },
    {
      name: "create",
      summary: "Creates an invoice. Never retried automatically.",
      flags: [...GATEWAY, SET, DATA],
      examples: [
        "invoices create --set customer=Asha --set amount:=1500",
        "invoices create --data @invoice.json",
      ],
      creates: true,
    },
    {
      name: "update",
      summary: "Changes an invoice.",
      args: [{ name: "invoice" }],
      flags: [...GATEWAY, SET, DATA],
      examples: ["invoices update INV-0001 --set status=paid"],
    },
    {
      name: "send",
      summary: "Sends an invoice to its customer. Never retried automatically.",
      args: [{ name: "invoice" }],
      flags: [...GATEWAY, SET, DATA],
      examples: ["invoices send INV-0001"],
      creates: true,
    },
    {
      name: "delete",
      summary: "Deletes an invoice.",
      args: [{ name: "invoice" }],
      flags: GATEWAY,
      examples: ["invoices delete INV-0001"],
    },
  ],
};

const DOCTOR: Command = {
  name: "doctor",
  summary: "check the key, URL, TLS, clock and receiver, and say what to fix",
  load: () => import("../commands/doctor.ts"),
  subcommands: [
    {
      summary:
        "Checks the key, the URL, TLS and the clock, and sends test events to your receiver.",
      flags: [
        ...GATEWAY,
        {
          name: "webhook",
          value: "url",
          summary: "a receiver: it is sent one signed event and one with a forged signature",
        },
        SECRET_FILE,
        SECRET,
      ],
      examples: ["doctor", "doctor --webhook http://localhost:3000/webhooks --secret whsec_1"],
    },
  ],
};

/** The commands for any gateway: the real service or a sandbox. */
export const GATEWAY_COMMANDS: readonly Command[] = [PAYMENTS, INVOICES, DOCTOR];
