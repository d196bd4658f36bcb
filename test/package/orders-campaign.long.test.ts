import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MIN_ORDERS } from "../stress/orders/plan.ts";
import { ORDER_SABOTAGES } from "../stress/orders/sabotages.ts";
import { STORES } from "../stress/orders/store.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Run {
  readonly status: number;
  readonly output: string;
}

/** The smallest campaign of orders, in a separate process. */
const campaign = (...args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const script = ["test/stress/main.ts", "orders", "--orders", `${MIN_ORDERS}`];
    execFile(process.execPath, [...script, ...args], { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });

test.concurrent.each(STORES)("a campaign of orders keeps every promise: %s", async (store) => {
  const { status, output } = await campaign("--store", store);
  expect(output, output).toMatch(/Every promise held\.|NOT RUN/);
  expect(output.includes("NOT RUN") || status === 0, output).toBe(true);
});

// Twelve campaigns take half an hour: CAMPAIGN=all npx vitest run test/package/orders-campaign.long.test.ts
const SABOTAGED = Object.entries(ORDER_SABOTAGES).slice(
  0,
  process.env.CAMPAIGN === "all" ? undefined : 1,
);

test.concurrent.each(SABOTAGED)(
  "a campaign notices a change of the source: %s",
  async (name, { breaks }) => {
    const { status, output } = await campaign("--store", "sqlite", "--sabotage", name);
    expect(output).toContain(`BROKEN ${breaks}: ORDER-`);
    expect(status).toBe(1);
  },
);

test("a campaign of orders says which options there are", async () => {
  const { status, output } = await campaign("--store", "oracle");
  expect(output).toContain("--store is oracle. It takes sqlite, postgres, all.");
  expect(status).toBe(1);
});
