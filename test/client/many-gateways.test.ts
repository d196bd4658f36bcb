import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("./support/many-gateways.ts", import.meta.url));

// 2.6 kB with Node 24, which leaves half as much again for another version.
test("ten thousand gateways in one process cost at most 4 kB of heap each", () => {
  const printed = execFileSync(process.execPath, ["--expose-gc", program, "10000"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(Number(printed)).toBeGreaterThan(0);
  expect(Number(printed)).toBeLessThanOrEqual(4_096);
});
