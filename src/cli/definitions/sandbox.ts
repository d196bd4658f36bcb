import { type Command, single } from "../command.ts";
import { SANDBOX_URL } from "./flags.ts";

const SANDBOX = single(
  "sandbox",
  "run a payment gateway on this machine, with the customer's phone on a web page",
  "Runs a payment gateway on this machine until you press Ctrl-C.",
  () => import("../commands/sandbox.ts"),
  {
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
);

const LOGS = single(
  "logs",
  "follow the requests and deliveries of a running sandbox",
  "Prints each request and each delivery as it happens, until you press Ctrl-C.",
  () => import("../commands/follow.ts"),
  {
    flags: { ...SANDBOX_URL, "--once": "print what there is, and end" },
    examples: ["logs", "logs --once --json"],
  },
);

const LISTEN = single(
  "listen <receiver>",
  "send the webhooks of a running sandbox to your receiver while the command runs",
  "Registers your receiver for all events, prints each delivery, and removes it at Ctrl-C.",
  () => import("../commands/follow.ts"),
  { flags: { ...SANDBOX_URL }, examples: ["listen http://localhost:3000/webhooks"] },
);

const ENV = single(
  "env",
  "print the settings of a running sandbox for your shell or a .env file",
  "Prints the base URL, the secret key and the webhook secret of a running sandbox for a shell, or writes them into a .env file.",
  () => import("../commands/env.ts"),
  {
    flags: {
      ...SANDBOX_URL,
      "--write <path>":
        "a .env file to write them into, whole or not at all; its other variables stay as they are",
      "--kind <kind>": "which key to print [secret | public | sandbox; default: secret]",
    },
    examples: ["env", "env --write .env"],
  },
);

const OPEN = single(
  "open",
  "open the page of a running sandbox in the browser",
  "Opens the page of a running sandbox.",
  () => import("../commands/open.ts"),
  {
    flags: { ...SANDBOX_URL },
    examples: ["open"],
  },
);

/** The commands that run a sandbox, and that connect one to a shop, a shell or a browser. */
export const SANDBOX_COMMANDS: readonly Command[] = [SANDBOX, LOGS, LISTEN, ENV, OPEN];
