import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { signWebhook } from "malipo/webhooks";
import type { WorkerProcess } from "../harness/processes.ts";
import type { OrderHistory } from "./history.ts";
import type { Jobs } from "./messages.ts";

/** The file of a database, its log, and the index of that: the file is moved first, and put back last. */
const PARTS = ["", "-wal", "-shm"] as const;
/** How long the file is away at most. */
const AWAY_MS = 3_000;

function ask(shop: WorkerProcess<Jobs>, secret: string, id: string) {
  const data = { reference: id, account_reference: id, status: "completed" };
  const event = { event: "payment.completed", timestamp: new Date().toISOString() };
  const body = JSON.stringify({ ...event, data: { ...data, amount: "1.00", currency: "KES" } });
  const headers = { "X-Service-Signature": signWebhook(body, secret) };
  const received = fetch(`http://127.0.0.1:${shop.port}/webhooks`, {
    method: "POST",
    body,
    headers,
  })
    .then(({ ok }) => ok)
    .catch(() => false);
  return [
    ["order", shop.run("create", { id, amount: 100 }).then((answer) => answer !== undefined)],
    ["webhook", received],
  ] as const;
}

/**
 * Moves a SQLite file away while processes have it open, asks each of them for an order and for the receipt of a
 * webhook, and puts the file back.
 */
export async function loseFile(
  path: string,
  shops: readonly WorkerProcess<Jobs>[],
  history: OrderHistory,
  { secret, name }: { readonly secret: string; readonly name: string },
): Promise<void> {
  for (const part of PARTS) renameSync(path + part, `${path}.away${part}`);
  try {
    const over = sleep(AWAY_MS, undefined);
    const asked = shops.flatMap((shop, at) =>
      ask(shop, secret, `${name}-${at}`).map(async ([kind, answer]) => {
        const isAcknowledged = await Promise.race([answer, over]);
        const event = { what: "asked_without_file", kind, isAcknowledged } as const;
        history.note(shop.who, { ...event, order: `${name}-${at}` });
      }),
    );
    await Promise.all(asked);
  } finally {
    for (const part of PARTS.toReversed()) renameSync(`${path}.away${part}`, path + part);
  }
}
