import { SECRET, SET } from "./flags.ts";
import type { Command } from "./types.ts";

/** Webhooks by hand: sent, signed, checked. */
export const WEBHOOK_COMMANDS: readonly Command[] = [
  {
    name: "trigger",
    summary: "send a signed event to any receiver, without a gateway",
    load: () => import("../commands/trigger.ts"),
    forms: [
      {
        summary: "Sends one signed event to a receiver, and shows its answer.",
        args: [{ name: "event" }],
        flags: [
          { name: "to", value: "address", summary: "the receiver" },
          SECRET,
          { ...SET, summary: "changes a field of the event; path:=json for numbers, true, lists" },
          { name: "any", summary: "allow a kind that the interface does not name" },
        ],
        examples: [
          "trigger payment.completed --to http://localhost:3000/webhooks --secret whsec_1",
          "trigger payment.failed --to http://localhost:3000/webhooks --set data.amount=100.00",
          "trigger payment.refunded --any --to http://localhost:3000/webhooks --set data.id:=7",
        ],
      },
    ],
  },
  {
    name: "sign",
    summary: "sign a body as the service does",
    load: () => import("../commands/sign.ts"),
    forms: [
      {
        summary: "Prints the signature of a body, taken over its raw bytes.",
        args: [{ name: "file", optional: true }],
        flags: [SECRET],
        examples: ["sign body.json --secret whsec_1", "sign - < body.json"],
      },
    ],
  },
  {
    name: "verify",
    summary: "check a delivery, and say why it is refused",
    load: () => import("../commands/verify.ts"),
    forms: [
      {
        summary: "Checks a body against its signature, and says why it does not match.",
        args: [{ name: "file", optional: true }],
        flags: [
          {
            name: "signature",
            value: "hex",
            summary: "what the header X-Service-Signature held",
          },
          { ...SECRET, many: true },
          {
            name: "max-age",
            value: "seconds",
            summary: "refuse events whose signed timestamp is older",
          },
        ],
        examples: [
          "verify body.json --signature 3f0a… --secret whsec_1",
          "verify - --signature 3f0a… --max-age 300 < body.json",
        ],
      },
    ],
  },
];
