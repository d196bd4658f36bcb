import { sleep } from "../../internal/timeout.ts";

/** A sleep that can be ended early. */
export interface WakeableSleep {
  /** Resolves after `ms`, or at once if it is woken. */
  sleep(ms: number): Promise<void>;
  /** Ends the sleep. Between two sleeps, ends the next one at once. */
  wake(): void;
}

export function createWakeableSleep(): WakeableSleep {
  let controller = new AbortController();
  return {
    sleep: async (ms) => {
      // Rounded up: a timer that ends early would come before what it waits for.
      await sleep(Math.ceil(ms), controller.signal);
      controller = new AbortController();
    },
    wake: () => controller.abort(),
  };
}
