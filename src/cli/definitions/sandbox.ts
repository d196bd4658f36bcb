import { SANDBOX } from "./flags.ts";
import type { Command } from "./types.ts";

/** A gateway on this machine, and the ways to act on it while it runs. */
export const SANDBOX_COMMANDS: readonly Command[] = [
  {
    name: "sandbox",
    summary: "run a whole gateway on this machine, with the customer's phone on a page",
    load: () => import("../commands/sandbox.ts"),
    forms: [
      {
        summary: "Runs a whole gateway on this machine until Ctrl-C.",
        flags: [
          { name: "port", value: "number", summary: "where to listen; 0 is any", standard: "4010" },
          {
            name: "seed",
            value: "text",
            summary: "the same seed, the same keys and references",
            standard: "malipo",
          },
          { name: "state", value: "path", summary: "a file that keeps the world between runs" },
          {
            name: "clock",
            value: "kind",
            summary: "virtual time stands still until `malipo clock advance`",
            choices: ["real", "virtual"],
            standard: "real",
          },
          {
            name: "auto",
            value: "kind",
            summary: "which prompts are answered by themselves after 3 s",
            choices: ["approve", "none", "magic"],
            standard: "magic",
          },
          {
            name: "webhook",
            value: "address",
            summary: "a receiver of yours, for all eight kinds of event",
          },
          {
            name: "ready-file",
            value: "path",
            summary: "written with address, keys and secret once it answers; removed at the end",
          },
        ],
        examples: [
          "sandbox",
          "sandbox --webhook http://localhost:3000/webhooks --state sandbox.json",
          "sandbox --clock virtual --port 0 --json",
        ],
      },
    ],
  },
  {
    name: "phone",
    summary: "be the customer of a running sandbox",
    load: () => import("../commands/phone.ts"),
    forms: (
      [
        ["approve", "Enters the PIN: pays the open prompt."],
        ["cancel", "Declines the open prompt."],
        ["wrong-pin", "Enters a wrong PIN, which fails the payment."],
        ["ignore", "Puts the phone away: the prompt expires."],
        ["off", "Switches the phone off: its prompts expire."],
        ["on", "Switches the phone on again."],
      ] as const
    ).map(([action, summary]) => ({
      action,
      summary,
      args: [{ name: "number" }],
      flags: [SANDBOX],
      examples: [`phone ${action} 0712345678`],
    })),
  },
  {
    name: "clock",
    summary: "see and move the time of a running sandbox",
    load: () => import("../commands/clock.ts"),
    forms: [
      {
        action: "now",
        summary: "Shows the sandbox's time.",
        flags: [SANDBOX],
        examples: ["clock now"],
      },
      {
        action: "advance",
        summary: "Moves time on: prompts expire, deliveries are tried again, invoices fall due.",
        args: [{ name: "by" }],
        flags: [SANDBOX],
        examples: ["clock advance 61s", "clock advance 2h"],
      },
    ],
  },
  {
    name: "events",
    summary: "what a running sandbox delivered, and once more",
    load: () => import("../commands/events.ts"),
    forms: [
      {
        action: "list",
        summary: "Lists deliveries, the newest first, and how many wait for each address.",
        flags: [
          SANDBOX,
          {
            name: "state",
            value: "state",
            summary: "only these",
            choices: ["pending", "delivered", "failed"],
          },
          { name: "limit", value: "number", summary: "how many at most", standard: "20" },
        ],
        examples: ["events list", "events list --state failed --json"],
      },
      {
        action: "resend",
        summary: "Sends a delivery once more, now: same body, same signature.",
        args: [{ name: "id" }],
        flags: [SANDBOX],
        examples: ["events resend dlv_4cG7wq1ZbK2m"],
      },
    ],
  },
];
