import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { wholeNumber } from "../input/values.ts";
import { orderSandbox } from "../running-sandbox.ts";
import { columns, grid, paint, result } from "../terminal/output.ts";

interface Attempt {
  readonly at: string;
  readonly status?: number;
  readonly error?: string;
  readonly latencyMs: number;
}

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly url: string;
  readonly state: "pending" | "delivered" | "failed";
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt?: string;
}

interface Log {
  readonly deliveries: readonly Delivery[];
  readonly total: number;
  readonly queues: readonly { url: string; pending: number; maxPending: number }[];
}

export async function run(input: Input): Promise<number> {
  return input.action === "list" ? list(input) : resend(input);
}

async function list({ text, json }: Input): Promise<number> {
  const query = new URLSearchParams({
    limit: String(wholeNumber("limit", text.limit ?? "20", 1, 100_000)),
    ...(text.state !== undefined && { state: text.state }),
  });
  const log = await orderSandbox<Log>(text.url, { method: "GET", path: `/deliveries?${query}` });
  result(json, log, () => wordsOf(log));
  return EXIT.ok;
}

async function resend({ args: [id = ""], text, json }: Input): Promise<number> {
  const path = `/deliveries/${encodeURIComponent(id)}/resend`;
  const delivery = await orderSandbox<Delivery>(text.url, { method: "POST", path });
  const arrived = delivery.attempts.at(-1)?.status === 200;
  result(json, delivery, () =>
    columns([
      ["delivery", delivery.id],
      ["event", delivery.event],
      ["to", delivery.url],
      ["answer", lastOf(delivery)],
      ["state", delivery.state],
    ]),
  );
  return arrived ? EXIT.ok : EXIT.failed;
}

/** What the last attempt came to. */
function lastOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return "under way";
  return last.status === undefined ? `${last.error}` : `${last.status} in ${last.latencyMs} ms`;
}

function wordsOf({ deliveries, total, queues }: Log): string {
  if (total === 0) {
    return "No deliveries. They go to registered webhooks: malipo sandbox --webhook http://localhost:3000/webhooks";
  }
  const rows = deliveries.map((one) => [
    one.id,
    one.event,
    one.state,
    `${one.attempts.length}`,
    lastOf(one),
    one.nextAttemptAt === undefined ? "" : `next ${one.nextAttemptAt.slice(11, 19)}`,
    one.url,
  ]);
  const waiting = queues.map(
    ({ url, pending, maxPending }) => `${pending} of at most ${maxPending} wait for ${url}`,
  );
  const shown =
    deliveries.length < total ? [`${deliveries.length} of ${total} shown: --limit`] : [];
  const head = ["delivery", "event", "state", "tries", "last answer", "", "to"];
  return [grid([head, ...rows]), ...[...waiting, ...shown].map((line) => paint("dim", line))].join(
    "\n",
  );
}
