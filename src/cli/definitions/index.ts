import type { Command } from "../command.ts";
import { controlCommands } from "./control.ts";
import { endpointCommands } from "./endpoint-calls.ts";
import { LEARN_COMMANDS } from "./learn.ts";
import { SANDBOX_COMMANDS } from "./sandbox.ts";
import { ATTEMPTS, CHECKOUT_COMMAND, INBOX_COMMAND } from "./stores.ts";
import { OTHER_TOOLS, WEBHOOK_TOOLS } from "./tools.ts";

/** Every command. The parser, the help, the docs and the suggestions read these definitions. */
export const COMMANDS: readonly Command[] = [
  ...SANDBOX_COMMANDS,
  ...controlCommands(),
  ...WEBHOOK_TOOLS,
  ...endpointCommands(),
  ...LEARN_COMMANDS,
  ATTEMPTS,
  INBOX_COMMAND,
  CHECKOUT_COMMAND,
  ...OTHER_TOOLS,
];

/** The environment variables that the command line reads. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  MALIPO_API_KEY: "the API key. No flag takes it, because other users can see a command line",
  MALIPO_BASE_URL: "the URL of the service, with its path prefix",
  MALIPO_WEBHOOK_SECRET: "the webhook signing secret",
  MALIPO_LOG:
    "debug writes a line to stderr for each request to the service, warn only for failed ones",
  NO_COLOR: "any value turns colour off",
};
