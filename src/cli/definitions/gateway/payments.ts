import type { Command } from "../../command.ts";
import { DATA, GATEWAY, QUERY, SET, WAIT_TIMEOUT } from "../flags.ts";

/** Payments, on any gateway. */
export const PAYMENTS: Command = {
  name: "payments",
  summary: "read, list, start and wait for payments, on any gateway",
  load: () => import("../../commands/gateway/payments.ts"),
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
    {
      name: "status",
      summary: "Asks for the state of a mobile-money payment. The service documents no field.",
      flags: [...GATEWAY, SET, DATA],
      examples: ["payments status --set reference=PAY-7Q2M9X4KD1TB"],
    },
    {
      name: "validate-phone",
      summary: "Asks the service whether a phone number can be charged.",
      args: [{ name: "number" }],
      flags: GATEWAY,
      examples: ["payments validate-phone 0712345678"],
    },
    {
      name: "initiate-raw",
      summary:
        "Sends your fields to POST /payments/initiate, which the service does not document. Never retried automatically.",
      flags: [...GATEWAY, SET, DATA],
      examples: ["payments initiate-raw --data @payment.json"],
      creates: true,
    },
  ],
};
