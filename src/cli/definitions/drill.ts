import { DRILL_OPTIONS } from "../../drill/options.ts";
import type { Command, Flag } from "../command.ts";

// The parser must not fill in a default: what the file of the shop says comes before it.
const FLAGS = DRILL_OPTIONS.map(
  ({ default: value, ofRun: _, ...option }): Flag => ({
    ...option,
    ...(value !== undefined && { fallback: value }),
  }),
);

/** The fire drill for a shop in any language. */
export const DRILL: Command = {
  name: "drill",
  summary: "rehearse your shop: crashes, lost responses and forged webhooks at every moment",
  load: () => import("../commands/drill.ts"),
  subcommands: [
    {
      summary:
        "Starts your shop with a sandbox, places orders, breaks things, and compares what the shop believes with what the sandbox knows.",
      flags: FLAGS,
      examples: ["drill --init", "drill --report drill.html", "drill --case 41"],
    },
  ],
};
