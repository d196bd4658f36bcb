import type { Command } from "../../command.ts";
import { DATA, GATEWAY, QUERY, SET } from "../flags.ts";

/** Invoices, on any gateway. */
export const INVOICES: Command = {
  name: "invoices",
  summary: "manage invoices, on any gateway",
  load: () => import("../../commands/gateway/invoices.ts"),
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
