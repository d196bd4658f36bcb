import { setTimeout as sleep } from "node:timers/promises";

/** A wait of the campaign, which fails if it does not end. */
export interface Wait {
  /** What is waited for, in the error: `the engine to restart`. */
  readonly what: () => string;
  readonly limitMs: number;
}

/** The campaign waits for something that does not come: a defect of the campaign or of the client. */
const standStill = ({ what, limitMs }: Wait): Error =>
  new Error(`The campaign stands still. It waited ${limitMs / 1000} s for ${what()}.`);

/** Waits for a promise, and rejects if that takes too long. */
export async function waitFor<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(standStill(wait)), wait.limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again and again until something is so, and rejects if that takes too long. */
export async function waitUntil(
  isSo: () => boolean,
  { intervalMs, ...wait }: Wait & { readonly intervalMs: number },
): Promise<void> {
  const deadline = performance.now() + wait.limitMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw standStill(wait);
    await sleep(intervalMs);
  }
}
