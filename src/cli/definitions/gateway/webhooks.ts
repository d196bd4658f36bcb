import type { Command } from "../../command.ts";
import { DATA, GATEWAY, QUERY, SET } from "../flags.ts";

/** Where the service sends its events, on any gateway. */
export const WEBHOOKS: Command = {
  name: "webhooks",
  summary: "manage the webhook registrations, on any gateway",
  load: () => import("../../commands/gateway/webhooks.ts"),
  subcommands: [
    {
      name: "list",
      summary: "Lists the registered receivers.",
      flags: [...GATEWAY, QUERY],
      examples: ["webhooks list"],
    },
    {
      name: "register",
      summary: "Registers a receiver for events. Never retried automatically.",
      args: [{ name: "receiver" }],
      flags: [
        ...GATEWAY,
        { name: "name", value: "text", summary: "a label", fallback: "the host of the receiver" },
        {
          name: "event",
          value: "event",
          summary: "an event to deliver, such as payment.completed",
          fallback: "all eight documented events",
          repeatable: true,
        },
      ],
      examples: [
        "webhooks register https://shop.example/webhooks",
        "webhooks register https://shop.example/webhooks --name shop --event payment.completed --event payment.failed",
      ],
      creates: true,
    },
    {
      name: "update",
      summary: "Changes a registration.",
      args: [{ name: "id" }],
      flags: [...GATEWAY, SET, DATA],
      examples: ["webhooks update wh_4cG7wq1Z --set url=https://shop.example/hooks"],
    },
    {
      name: "delete",
      summary: "Deletes a registration: no more events are sent there.",
      args: [{ name: "id" }],
      flags: GATEWAY,
      examples: ["webhooks delete wh_4cG7wq1Z"],
    },
  ],
};
