import { COMMANDS } from "../../sandbox/control/commands.ts";
import type { Command } from "../command.ts";
import { PHONE_SUBCOMMANDS, PHONE_VALUES } from "../commands/running/phone-subcommands.ts";
import { SANDBOX_URL } from "./flags.ts";

const SANDBOX: Command = {
  name: "sandbox",
  summary: "run a payment gateway on this machine, with the customer's phone on a web page",
  load: () => import("../commands/sandbox.ts"),
  subcommands: [
    {
      summary: "Runs a payment gateway on this machine until you press Ctrl-C.",
      flags: [
        {
          name: "port",
          value: "number",
          summary: "the port to listen on; 0 takes any free port",
          default: "4010",
        },
        {
          name: "seed",
          value: "text",
          summary: "the same seed gives the same keys and references",
          fallback: "a new one in each run",
        },
        {
          name: "state",
          value: "path",
          summary: "a file that keeps the sandbox's state between runs",
        },
        {
          name: "host",
          value: "address",
          summary: "the address to listen on; 0.0.0.0 lets other machines and containers use it",
          default: "127.0.0.1",
        },
        {
          name: "cors",
          value: "origin",
          summary: "an origin whose pages may call the service, beside pages of this machine",
          repeatable: true,
        },
        {
          name: "clock",
          value: "kind",
          summary: "virtual time moves only with `malipo clock advance`",
          choices: ["real", "virtual"],
          default: "real",
        },
        {
          name: "auto",
          value: "kind",
          summary: "which prompts the sandbox answers automatically, after 3 s",
          choices: ["approve", "none", "magic"],
          default: "magic",
        },
        {
          name: "profile",
          value: "path",
          summary:
            "a profile of your service, as `malipo probe` writes it: the sandbox speaks like it",
        },
        {
          name: "webhook",
          value: "url",
          summary: "the URL of your receiver; it is registered for all eight events",
        },
        {
          name: "ready-file",
          value: "path",
          summary:
            "a file for URL, keys and secret: written when the sandbox is ready, then removed",
        },
      ],
      examples: [
        "sandbox",
        "sandbox --webhook http://localhost:3000/webhooks --state sandbox.json",
        "sandbox --profile malipo.service.json",
        "sandbox --clock virtual --port 0 --json",
      ],
    },
  ],
};

const PHONE: Command = {
  name: "phone",
  summary: "act as the customer of a running sandbox",
  load: () => import("../commands/running/phone.ts"),
  subcommands: PHONE_SUBCOMMANDS.map((name) => {
    const value = PHONE_VALUES[name];
    return {
      name,
      summary: COMMANDS[`phone/${name}`].summary,
      args: [{ name: "number" }, ...(value ? [value] : [])],
      flags: [SANDBOX_URL],
      examples: [`phone ${name} 0712345678${value ? ` ${value.example}` : ""}`],
    };
  }),
};

const CLOCK: Command = {
  name: "clock",
  summary: "show and move the clock of a running sandbox",
  load: () => import("../commands/running/clock.ts"),
  subcommands: [
    {
      name: "now",
      summary: "Shows the sandbox's time.",
      flags: [SANDBOX_URL],
      examples: ["clock now"],
    },
    {
      name: "advance",
      summary: COMMANDS.clock.summary,
      args: [{ name: "by" }],
      flags: [SANDBOX_URL],
      examples: ["clock advance 61s", "clock advance 2h"],
    },
  ],
};

const EVENTS: Command = {
  name: "events",
  summary: "list and resend the webhook deliveries of a running sandbox",
  load: () => import("../commands/running/events.ts"),
  subcommands: [
    {
      name: "list",
      summary: "Lists deliveries, newest first, and how many are pending for each URL.",
      flags: [
        SANDBOX_URL,
        {
          name: "state",
          value: "state",
          summary: "list only deliveries in this state",
          choices: ["pending", "delivered", "failed"],
        },
        {
          name: "payment",
          value: "reference",
          summary: "list only deliveries about this payment",
        },
        {
          name: "limit",
          value: "number",
          summary: "the maximum number of deliveries",
          default: "20",
        },
      ],
      examples: [
        "events list",
        "events list --payment PAY-7Q2M9X4KD1TB",
        "events list --state failed --json",
      ],
    },
    {
      name: "resend",
      summary: COMMANDS["deliveries/resend"].summary,
      args: [{ name: "id" }],
      flags: [SANDBOX_URL],
      examples: ["events resend dlv_4cG7wq1ZbK2m"],
    },
    {
      name: "resend-failed",
      summary: COMMANDS["deliveries/resend-failed"].summary,
      flags: [SANDBOX_URL],
      examples: ["events resend-failed"],
    },
    {
      name: "test",
      summary: COMMANDS["webhooks/test"].summary,
      args: [{ name: "receiver" }],
      flags: [
        SANDBOX_URL,
        {
          name: "event",
          value: "event",
          summary: "the kind of event",
          fallback: "one that the receiver lists",
        },
      ],
      examples: ["events test wh_4cG7wq1Z --event payment.failed"],
    },
  ],
};

/** The commands that run a sandbox, and that act on one that is running. */
export const SANDBOX_COMMANDS: readonly Command[] = [SANDBOX, PHONE, CLOCK, EVENTS];
