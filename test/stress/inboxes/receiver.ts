import { setTimeout as sleep } from "node:timers/promises";
import { versionAt } from "./modes.ts";
import { openShop, type ShopProcess } from "./process.ts";
import type { ShopSettings } from "./shop.ts";

/** A receiver that runs again after each end of its process. */
export interface RestartedReceiver {
  /** Kills its process. Resolves when another one accepts deliveries. */
  kill(): Promise<void>;
  /** How often its process ended without a kill. */
  deaths(): number;
  /** What its processes wrote to stderr. */
  readonly errors: string[];
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** This many deaths prove enough. */
const MAX_DEATHS = 100;
const AFTER_DEATH_MS = 200;
const MAX_ERROR_TEXT = 2_000;

export async function keepReceiver(
  program: string,
  settings: ShopSettings,
  log: (line: string) => void,
): Promise<RestartedReceiver> {
  const killed = new WeakSet<ShopProcess>();
  const errors: string[] = [];
  let deaths = 0;
  let opened = 0;
  let isStopped = false;

  async function died(text: () => string): Promise<void> {
    deaths++;
    // The last of its errors may still be on their way.
    await sleep(AFTER_DEATH_MS);
    log(`A receiver process died by itself:\n${text().slice(-MAX_ERROR_TEXT)}`);
    if (deaths === MAX_DEATHS) throw new Error(`The receiver died ${deaths} times by itself.`);
  }

  async function open(): Promise<ShopProcess> {
    for (;;) {
      try {
        const version = versionAt(settings.mode ?? "start", opened++);
        const shop = await openShop(program, { ...settings, version });
        void replace(shop);
        return shop;
      } catch (error) {
        await died(() => String(error));
      }
    }
  }

  /** Opens the next one as soon as this one has ended. */
  async function replace(shop: ShopProcess): Promise<void> {
    const signal = await shop.exit;
    errors.push(...shop.errors);
    if (isStopped) return;
    // It may have died just before it was killed.
    const isKilled = killed.has(shop) && signal === "SIGKILL";
    current = isKilled ? open() : died(() => shop.errors.join("")).then(open);
  }

  async function end(): Promise<void> {
    const shop = await current;
    killed.add(shop);
    await shop.kill();
  }

  let current = open();
  await current;
  return {
    kill: async () => {
      await end();
      await current;
    },
    deaths: () => deaths,
    errors,
    stop: async () => {
      isStopped = true;
      await end();
    },
  };
}
