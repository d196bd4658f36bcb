import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { signWebhook } from "malipo/webhooks";
import type { ShopProcess } from "./shops.ts";

/** The file of a database, its log, and the index of that: the file is moved first, and put back last. */
const PARTS = ["", "-wal", "-shm"] as const;
/** How long the file is away at most. */
const AWAY_MS = 3_000;

/** What was asked of a process while its file was away. */
export interface AskedWithoutFile {
  readonly what: "order" | "webhook";
  readonly id: string;
  /** Whether it was acknowledged before the file was put back; `undefined` if no answer came by then. */
  readonly isAcknowledged: boolean | undefined;
}

function ask(shop: ShopProcess, secret: string, id: string) {
  const data = { reference: id, account_reference: id, status: "completed" };
  const event = { event: "payment.completed", timestamp: new Date().toISOString() };
  const body = JSON.stringify({ ...event, data: { ...data, amount: "1.00", currency: "KES" } });
  const headers = { "X-Service-Signature": signWebhook(body, secret) };
  return [
    { what: "order", answer: shop.post("/orders", { id, amount: 100 }).then(isThere) },
    { what: "webhook", answer: shop.post("/webhooks", body, headers).then(isThere) },
  ] as const;
}

const isThere = (answer: unknown) => answer !== undefined;

/**
 * Moves a SQLite file away while processes have it open, asks each of them for an order and for the receipt of a
 * webhook, and puts the file back.
 */
export async function loseFile(
  path: string,
  shops: readonly ShopProcess[],
  { secret, name }: { readonly secret: string; readonly name: string },
): Promise<AskedWithoutFile[]> {
  for (const part of PARTS) renameSync(path + part, `${path}.away${part}`);
  try {
    const answers = shops.flatMap((shop, at) => {
      const id = `${name}-${at}`;
      return ask(shop, secret, id).map(({ what, answer }) => ({ what, id, answer }));
    });
    const over = sleep(AWAY_MS, undefined);
    return await Promise.all(
      answers.map(async ({ what, id, answer }) => ({
        ...{ what, id },
        isAcknowledged: await Promise.race([answer, over]),
      })),
    );
  } finally {
    for (const part of PARTS.toReversed()) renameSync(`${path}.away${part}`, path + part);
  }
}
