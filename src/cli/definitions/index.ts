import type { Command, CommandGroup } from "../command.ts";
import { controlCommands } from "./control.ts";
import { endpointCommands } from "./endpoint-calls.ts";
import { LEARN_COMMANDS } from "./learn.ts";
import { SANDBOX_COMMANDS } from "./sandbox.ts";
import { ATTEMPTS, CHECKOUT_COMMAND, INBOX_COMMAND } from "./stores.ts";
import { COMPLETION, MCP, REHEARSALS, WEBHOOK_TOOLS } from "./tools.ts";

/** The commands by what they are for, as the help lists them. The manual has a page for each group. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    name: "sandbox",
    title: "A sandbox on this machine",
    commands: [...SANDBOX_COMMANDS, ...controlCommands(), ...MCP],
  },
  { name: "webhooks", title: "Webhooks by hand", commands: WEBHOOK_TOOLS },
  { name: "service", title: "Any gateway, real or sandbox", commands: endpointCommands() },
  { name: "learn", title: "How your service behaves", commands: LEARN_COMMANDS },
  { name: "stores", title: "Your stores", commands: [ATTEMPTS, INBOX_COMMAND, CHECKOUT_COMMAND] },
  { name: "drill", title: "Rehearse and explain", commands: REHEARSALS },
  { name: "shell", title: "Your shell", commands: COMPLETION },
];

/** Every command. The parser, the help, the docs and the suggestions read these definitions. */
export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

/** The environment variables that the command line reads. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  MALIPO_API_KEY: "the API key. No flag takes it, because other users can see a command line",
  MALIPO_BASE_URL: "the URL of the service, with its path prefix",
  MALIPO_TEST_NETWORK: "1 for a sandbox in another container",
  MALIPO_WEBHOOK_SECRET: "the webhook signing secret",
  MALIPO_LOG:
    "debug writes a line to stderr for each request to the service, warn only for failed ones",
  NO_COLOR: "any value turns colour off",
};
