import { type Command, lazily, singles } from "../command.ts";
import { SANDBOX_URL } from "./common-flags.ts";

/** The commands that run a sandbox, and that connect one to a shop, a shell or a browser. */
export const SANDBOX_COMMANDS: readonly Command[] = singles({
  sandbox: {
    about: "run a payment gateway on this machine, with the customer's phone on a web page",
    summary: "Runs a payment gateway on this machine until you press Ctrl-C.",
    run: lazily(() => import("../commands/sandbox.ts"), "run"),
    flags: {
      "--port <number>": "the port to listen on; 0 takes any free port [default: 4010]",
      "--seed <text>":
        "the same seed makes the same keys and references [otherwise: a new one in each run]",
      "--state <path>": "a file in which the sandbox's state stays between runs",
      "--host <address>":
        "the address to listen on; 0.0.0.0 lets other machines and containers use it [default: 127.0.0.1]",
      "--cors <origin>":
        "an origin whose pages may call the service, beside pages of this machine [repeatable]",
      "--allow-host <name>":
        "a full host name under which other machines reach the sandbox [repeatable]",
      "--clock <kind>":
        "virtual time moves only with `malipo clock advance` [real | virtual; default: real]",
      "--auto <kind>":
        "which prompts the sandbox answers automatically, after 3 s [approve | none | magic; default: magic]",
      "--profile <path>":
        "a profile of your service, as `malipo probe` writes it: the sandbox responds like it",
      "--webhook <url>": "the URL of your receiver; it is registered for all eight events",
      "--ready-file <path>":
        "a file for URL, keys and secret: written when the sandbox is ready, then removed",
    },
    examples: [
      "sandbox",
      "sandbox --webhook http://localhost:3000/webhooks --state sandbox.json",
      "sandbox --profile malipo.service.json",
      "sandbox --clock virtual --port 0 --json",
    ],
  },
  logs: {
    about: "follow the requests and deliveries of a running sandbox",
    summary: "Prints each request and each delivery as it happens, until you press Ctrl-C.",
    run: lazily(() => import("../commands/follow.ts"), "showLogs"),
    flags: { ...SANDBOX_URL, "--once": "print what there is, and end" },
    examples: ["logs", "logs --once --json"],
  },
  "listen <receiver>": {
    about: "send the webhooks of a running sandbox to your receiver while the command runs",
    summary:
      "Registers your receiver for all events, prints each delivery, and removes it at Ctrl-C.",
    run: lazily(() => import("../commands/follow.ts"), "listen"),
    flags: SANDBOX_URL,
    examples: ["listen http://localhost:3000/webhooks"],
  },
  env: {
    about: "print the settings of a running sandbox for your shell or a .env file",
    summary:
      "Prints the base URL, the secret key and the webhook secret of a running sandbox for a shell, or writes them into a .env file.",
    run: lazily(() => import("../commands/env.ts"), "run"),
    flags: {
      ...SANDBOX_URL,
      "--write <path>":
        "a .env file to write them into, whole or not at all; its other variables stay as they are",
      "--kind <kind>": "which key to print [secret | public | sandbox; default: secret]",
    },
    examples: ["env", "env --write .env"],
  },
  open: {
    about: "open the page of a running sandbox in the browser",
    summary: "Opens the page of a running sandbox.",
    run: lazily(() => import("../commands/open.ts"), "run"),
    flags: SANDBOX_URL,
    examples: ["open"],
  },
});
