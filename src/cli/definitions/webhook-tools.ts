import { EVENT_KINDS } from "../../contract/events.ts";
import type { Command } from "../command.ts";
import { SECRET, SECRET_FILE, SET } from "./flags.ts";

/** The commands that send, sign and verify webhooks by hand. */
export const WEBHOOK_TOOLS: readonly Command[] = [
  {
    name: "trigger",
    summary: "send a signed event to any receiver, without a gateway",
    load: () => import("../commands/trigger.ts"),
    subcommands: [
      {
        summary: "Sends one signed event to a receiver and shows the response.",
        args: [{ name: "event", values: EVENT_KINDS, takesOthers: true }],
        flags: [
          { name: "to", value: "url", summary: "the URL of the receiver" },
          SECRET_FILE,
          SECRET,
          {
            ...SET,
            summary: "sets a field of the event; path:=json sets a number, a boolean or a list",
          },
          { name: "any", summary: "allow an event that the service does not document" },
        ],
        examples: [
          "trigger payment.completed --to http://localhost:3000/webhooks --secret-file secret.txt",
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
    subcommands: [
      {
        summary: "Prints the signature of a body. The raw bytes are signed.",
        args: [{ name: "file", optional: true }],
        flags: [SECRET_FILE, SECRET],
        examples: ["sign body.json --secret-file secret.txt", "sign - < body.json"],
      },
    ],
  },
  {
    name: "verify",
    summary: "verify the signature of a delivery, and say why it is rejected",
    load: () => import("../commands/verify.ts"),
    subcommands: [
      {
        summary: "Verifies a body and its signature. If they do not match, says why.",
        args: [{ name: "file", optional: true }],
        flags: [
          {
            name: "signature",
            value: "hex",
            summary: "the value of the header X-Service-Signature",
          },
          SECRET_FILE,
          { ...SECRET, repeatable: true },
          {
            name: "max-age",
            value: "seconds",
            summary: "reject events whose signed timestamp is older",
          },
        ],
        examples: [
          "verify body.json --signature 3f0a… --secret-file secret.txt",
          "verify - --signature 3f0a… --max-age 300 < body.json",
        ],
      },
    ],
  },
];
