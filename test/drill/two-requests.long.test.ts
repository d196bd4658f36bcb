import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import {
  ALL_ROUTES,
  brokenPromises,
  drillShop,
  shopFolder,
  someCases,
} from "./shops/drill-shop.ts";

const shops = shopFolder();
afterAll(() => shops.remove());

const ASKS = `    if (result === "added") await ask(rows("id = ?", order)[0] as Order);\n`;
const PAYABLE = "WHERE id = ? AND status = 'failed'";
/** The right shop, whose order asks nobody: its customer pays by a request of its own. */
const CHANGES: readonly (readonly [right: string, other: string])[] = [
  ["asked, at) VALUES (?, ?, ?, ?, ?)", "asked, at, status) VALUES (?, ?, ?, ?, ?, 'new')"],
  [ASKS, ""],
  ['action === "again"', 'action === "pay"'],
  [PAYABLE, "WHERE id = ? AND status IN ('new', 'failed')"],
  ["IN ('pending', 'failed')\"],", "IN ('new', 'pending', 'failed')\"],"],
  ["IN ('pending', 'failed')\",", "IN ('new', 'pending', 'failed')\","],
];

function shopOfTwoRequests(name: string, payable = ""): string {
  let code = readFileSync("test/drill/shops/right-shop.ts", "utf8");
  for (const [right, other] of CHANGES) {
    if (code.split(right).length !== 2) throw new Error(`The line is not there once: ${right}`);
    const changed = right === PAYABLE && payable !== "" ? payable : other;
    code = code.replace(right, () => changed);
  }
  return shops.write(name, code);
}

const drill = (start: string, numbers: readonly number[]) =>
  drillShop(
    {
      start,
      ...ALL_ROUTES,
      pay: "POST /orders/{id}/pay",
      again: "",
      open: "/status=new|pending",
      processes: "2",
      quiet: "5s",
    },
    numbers,
  );

describe.concurrent("a shop in which an order is paid by a second request", () => {
  test("passes if it is right", async () => {
    const cases = process.env.DRILL === "all" ? allCases() : someCases();
    const numbers = cases.map(({ number }) => number);
    const result = await drill(shopOfTwoRequests("two-requests"), numbers);
    expect(brokenPromises(result), formatResults(result)).toEqual([]);
    expect(exitStatus(result), formatResults(result)).toBe(0);
  });

  test("is found if two clicks on pay ask the phone twice", async () => {
    const clicks = allCases().filter(({ act }) => act === "clicks" || act === "tabs");
    const payable = "WHERE id = ? AND status IN ('new', 'failed', 'pending')";
    const start = shopOfTwoRequests("two-prompts", payable);
    const result = await drill(
      start,
      clicks.map(({ number }) => number),
    );
    expect(exitStatus(result), formatResults(result)).toBe(1);
    expect(brokenPromises(result)).toContain("one attempt, at most one prompt");
  });
});
