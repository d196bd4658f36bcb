import { type Command, lazily, singles } from "../command.ts";
import { SANDBOX_URL } from "../flags/common.ts";
import { ENV, LOGS, SANDBOX } from "../flags/sandbox.ts";

/** The commands that run a sandbox, and that connect one to a shop, a shell or a browser. */
export const SANDBOX_COMMANDS: readonly Command[] = singles({
  sandbox: {
    about: "run a payment gateway on this machine, with the customer's phone on a web page",
    summary: "Runs a payment gateway on this machine until you press Ctrl-C.",
    ...lazily(SANDBOX, () => import("../commands/sandbox.ts"), "run"),
    examples: [
      "sandbox",
      "sandbox --webhook http://localhost:3000/webhooks --state sandbox.json",
      "sandbox --network gateway --webhook http://shop:3000/webhooks",
      "sandbox --profile malipo.service.json",
      "sandbox --clock virtual --port 0 --json",
    ],
  },
  logs: {
    about: "follow the requests and deliveries of a running sandbox",
    summary: "Prints each request and each delivery as it happens, until you press Ctrl-C.",
    ...lazily(LOGS, () => import("../commands/follow.ts"), "showLogs"),
    examples: ["logs", "logs --once --json"],
  },
  "listen <receiver>": {
    about: "send the webhooks of a running sandbox to your receiver while the command runs",
    summary:
      "Registers your receiver for all events, prints each delivery, and removes it at Ctrl-C.",
    ...lazily(SANDBOX_URL, () => import("../commands/follow.ts"), "listen"),
    examples: ["listen http://localhost:3000/webhooks"],
  },
  env: {
    about: "print the settings of a running sandbox for your shell or a .env file",
    summary: "Prints the settings that a shop needs, or writes them into a .env file.",
    ...lazily(ENV, () => import("../commands/env.ts"), "run"),
    examples: ["env", "env --write .env"],
  },
  open: {
    about: "open the page of a running sandbox in the browser",
    summary: "Opens the page of a running sandbox.",
    ...lazily(SANDBOX_URL, () => import("../commands/open.ts"), "run"),
    examples: ["open"],
  },
});
