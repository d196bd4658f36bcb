import { expect, test } from "vitest";
import type { Sabotage } from "../stress/harness/bundle.ts";
import { MIN_ORDERS } from "../stress/orders/plan.ts";
import { orders } from "../stress/orders/subject.ts";
import { SABOTAGES } from "../stress/sabotages.ts";
import { hasNotRun, runCampaign } from "../support/campaign.ts";

/** The smallest campaign of orders. */
const campaign = (...args: readonly string[]) =>
  runCampaign("orders", "--orders", `${MIN_ORDERS}`, ...args);

// One after another: each has up to twenty processes at a time.
test.each(orders.engines)("a campaign of orders keeps every promise: %s", async (store) => {
  const run = await campaign("--store", store);
  const output = run.stdout + run.stderr;
  expect(output, output).toMatch(/Every promise held\.|NOT RUN/);
  expect(hasNotRun(run) || run.status === 0, output).toBe(true);
});

// One that ends at once. All take half an hour: CAMPAIGN=all npx vitest run test/package/orders-campaign.long.test.ts
const SABOTAGED = Object.entries<Sabotage>(SABOTAGES.orders).filter(
  ([name]) => process.env.CAMPAIGN === "all" || name === "a name that is not defined",
);

test.concurrent.for(SABOTAGED)(
  "a campaign notices a change of the source: %s",
  async ([name, { breaks, on = "sqlite" }], { skip, expect }) => {
    const run = await campaign("--store", on, "--sabotage", name);
    if (hasNotRun(run)) return skip();
    const { status, stdout } = run;
    const isDefect = breaks.startsWith("ReferenceError");
    expect(stdout).toContain(isDefect ? breaks : `BROKEN ${breaks}: ORDER-`);
    expect(status).toBe(1);
  },
);

test("a campaign of orders says which options there are", async () => {
  const { status, stderr } = await campaign("--store", "oracle");
  expect(stderr).toContain("--store is oracle. It takes sqlite, postgres, mysql, all.");
  expect(status).toBe(1);
});
