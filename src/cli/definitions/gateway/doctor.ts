import type { Command } from "../../command.ts";
import { GATEWAY, SECRET, SECRET_FILE } from "../flags.ts";

/** What is wrong with the settings, the service or the receiver. */
export const DOCTOR: Command = {
  name: "doctor",
  summary: "check the key, URL, TLS, clock and receiver, and say what to fix",
  load: () => import("../../commands/gateway/doctor.ts"),
  subcommands: [
    {
      summary:
        "Checks the key, the URL, TLS and the clock, and sends test events to your receiver.",
      flags: [
        ...GATEWAY,
        {
          name: "webhook",
          value: "url",
          summary: "a receiver: it is sent one signed event and one with a forged signature",
        },
        SECRET_FILE,
        SECRET,
      ],
      examples: ["doctor", "doctor --webhook http://localhost:3000/webhooks --secret whsec_1"],
    },
  ],
};
