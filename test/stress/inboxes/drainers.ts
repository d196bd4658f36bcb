import { versionAt } from "./modes.ts";
import { openShop, type ShopProcess } from "./process.ts";
import type { ShopSettings } from "./shop.ts";

/** Processes that drain an inbox and end, each followed by the next. */
export interface Drainers {
  /** Kills one of them. */
  kill(): Promise<void>;
  /** Stops one of them for a time: it loses its leases, and goes on as if it had them. */
  freeze(ms: number): Promise<void>;
  /** How many there were. */
  count(): number;
  /** What they wrote to stderr. */
  readonly errors: string[];
  stop(): Promise<void>;
}

export function keepDrainers(program: string, settings: ShopSettings, atOnce: number): Drainers {
  const running = new Set<ShopProcess>();
  const errors: string[] = [];
  let count = 0;
  let isStopped = false;

  const keep = async () => {
    while (!isStopped) {
      const version = versionAt(settings.mode ?? "drain", count + 1);
      const drainer = await openShop(program, { ...settings, isDrainer: true, version });
      count++;
      running.add(drainer);
      await drainer.exit;
      running.delete(drainer);
      errors.push(...drainer.errors);
    }
  };
  const loops = Array.from({ length: atOnce }, keep);
  const one = () => [...running][count % Math.max(1, running.size)];
  return {
    kill: async () => one()?.kill(),
    freeze: async (ms) => one()?.freeze(ms),
    count: () => count,
    errors,
    stop: async () => {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}
