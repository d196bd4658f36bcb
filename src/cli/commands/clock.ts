import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { usage } from "../failure.ts";
import { orderSandbox } from "../running-sandbox.ts";
import { result } from "../terminal/output.ts";

interface Time {
  readonly now: string;
  readonly clock: "virtual" | "real";
}

// Every delivery that falls due on the way is waited for.
const ADVANCE_TIMEOUT_MS = 600_000;

export async function run({ action, args: [by = ""], text, json }: Input): Promise<number> {
  const order =
    action === "now"
      ? ({ method: "GET", path: "/clock" } as const)
      : ({
          method: "POST",
          path: "/clock/advance",
          body: { by: lengthIn(by) },
          timeoutMs: ADVANCE_TIMEOUT_MS,
        } as const);
  const time = await orderSandbox<Time>(text.url, order);
  result(json, time, () => `${time.now} (${time.clock})`);
  return EXIT.ok;
}

function lengthIn(by: string): string {
  if (by.startsWith("-")) {
    throw usage(`The clock does not go back ("${by}"). A new sandbox begins anew.`);
  }
  if (/^\d+(\.\d+)?(ms|s|m|min|h|d)$/.test(by)) return by;
  throw usage(
    `"${by}" is no length of time. It takes a number with ms, s, m, h or d, such as 61s.`,
  );
}
