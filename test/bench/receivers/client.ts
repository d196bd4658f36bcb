// The client in its own process, so that neither a receiver nor the benchmark pays for its work: it sends
// what it is asked to, and replies with what that took.
import { type Load, load } from "./load.ts";

process.on("message", async (asked: Load) => {
  process.send?.(await load(asked));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
