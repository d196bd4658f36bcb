import type { Command } from "../command.ts";

/** What the result codes of the mobile network mean. It needs no key and no service. */
export const EXPLAIN: Command = {
  name: "explain",
  summary: "explain why a payment failed, by its result code or reason",
  load: () => import("../commands/explain.ts"),
  subcommands: [
    {
      summary:
        "Explains a result code or a failure_reason: the cause, what to tell the customer, and whether to try again. Without one, lists all codes.",
      args: [{ name: "code", optional: true }],
      flags: [],
      examples: ["explain 1037", "explain"],
    },
  ],
};
