import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codeBlocks } from "./support/blocks.ts";
import { ticketSuite } from "./support/ticket-suite.ts";

/** The lines of code, as the formatter breaks them. */
const linesOf = (code: string): number =>
  code
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("//"))
    .reduce((sum, line) => sum + Math.ceil(line.length / 100), 0);

test("the shop of the README sells limited seats in at most 16 lines more", () => {
  const [shop = ""] = codeBlocks("README.md", "ts");
  const tickets = readFileSync("examples/tickets/server.ts", "utf8");
  expect(linesOf(tickets) - linesOf(shop)).toBeLessThanOrEqual(16);
});

ticketSuite({ customers: 24, seats: 6 }, test.concurrent);
