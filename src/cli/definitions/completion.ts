import type { Command } from "../command.ts";

/** The shells that can complete commands and flags. */
const SHELLS = ["bash", "zsh", "fish"] as const;

export const COMPLETION: Command = {
  name: "completion",
  summary: "print a script with which your shell completes commands, flags and values",
  load: () => import("../commands/completion.ts"),
  subcommands: [
    {
      summary: "Prints the script. Its first lines say where it belongs. Nothing is installed.",
      args: [{ name: "shell", values: SHELLS }],
      flags: [],
      examples: SHELLS.map((shell) => `completion ${shell}`),
    },
  ],
};
