import type { Command } from "../../command.ts";
import { GATEWAY } from "../flags.ts";

/** The merchant of the key, on any gateway. */
export const MERCHANT: Command = {
  name: "merchant",
  summary: "read the merchant that the key belongs to, on any gateway",
  load: () => import("../../commands/gateway/merchant.ts"),
  subcommands: [
    {
      name: "get",
      summary: "Reads the merchant's profile.",
      flags: GATEWAY,
      examples: ["merchant get"],
    },
    {
      name: "payment-accounts",
      summary: "Lists the accounts that payments can be made to.",
      flags: GATEWAY,
      examples: ["merchant payment-accounts --json"],
    },
  ],
};
