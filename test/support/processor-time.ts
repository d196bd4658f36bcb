// A setup file of the runner: what each file of tests costs, with the programs that it started and that have ended.
import { readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** In milliseconds. Only Linux says it. */
    processorMs?: number;
  }
}

function processorMs(): number {
  try {
    const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
    const ticks = fields.split(" ").slice(11, 15).map(Number);
    return 10 * ticks.reduce((sum, one) => sum + one);
  } catch {
    return Number.NaN;
  }
}

const before = processorMs();
// biome-ignore lint/correctness/noEmptyPattern: the runner reads what of its context a hook takes.
afterAll(({}, { file }) => {
  const spent = processorMs() - before;
  if (!Number.isNaN(spent)) file.meta.processorMs = spent;
});
