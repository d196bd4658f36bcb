import type { Command } from "../command.ts";
import { ATTEMPTS } from "./attempts.ts";
import { COMPLETION } from "./completion.ts";
import { DRILL } from "./drill.ts";
import { EXPLAIN } from "./explain.ts";
import { GATEWAY_COMMANDS } from "./gateway/index.ts";
import { INBOX_COMMAND } from "./inbox.ts";
import { LEARN_COMMANDS } from "./learn.ts";
import { RUNNING_SANDBOX_COMMANDS } from "./running-sandbox.ts";
import { SANDBOX_COMMANDS } from "./sandbox.ts";
import { WEBHOOK_TOOLS } from "./webhook-tools.ts";

/** Every command. The parser, the help, the docs and the suggestions read these definitions. */
export const COMMANDS: readonly Command[] = [
  ...SANDBOX_COMMANDS,
  ...RUNNING_SANDBOX_COMMANDS,
  ...WEBHOOK_TOOLS,
  ...GATEWAY_COMMANDS,
  ...LEARN_COMMANDS,
  DRILL,
  ATTEMPTS,
  EXPLAIN,
  INBOX_COMMAND,
  COMPLETION,
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
