import { GATEWAY_COMMANDS } from "./gateway.ts";
import { SANDBOX_COMMANDS } from "./sandbox.ts";
import type { Command } from "./types.ts";
import { WEBHOOK_COMMANDS } from "./webhooks.ts";

/** Every command. The help, the docs and the suggestions are printed from these rows. */
export const COMMANDS: readonly Command[] = [
  ...SANDBOX_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...GATEWAY_COMMANDS,
];

/** The environment variables that are read. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  MALIPO_API_KEY: "the API key. No flag takes one: what stands in a command line, others can see",
  MALIPO_BASE_URL: "the service's address, path prefix included",
  MALIPO_WEBHOOK_SECRET: "the webhook signing secret",
  NO_COLOR: "no colour, whatever its value",
};
