import type { Command } from "../../command.ts";
import { DOCTOR } from "./doctor.ts";
import { INVOICES } from "./invoices.ts";
import { MERCHANT } from "./merchant.ts";
import { PAYMENTS } from "./payments.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** The commands for any gateway: the real service or a sandbox. */
export const GATEWAY_COMMANDS: readonly Command[] = [
  PAYMENTS,
  INVOICES,
  WEBHOOKS,
  MERCHANT,
  DOCTOR,
];
