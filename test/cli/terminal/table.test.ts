import { describe, expect, test } from "vitest";
import { rendered } from "../../../src/cli/terminal/output.ts";
import { formatFields, formatTable } from "../../../src/cli/terminal/table.ts";
import { relativeTime, wholeTime } from "../../../src/cli/terminal/times.ts";

const ROWS = [
  ["id", "state", "cause", "to"],
  ["dlv_4cG7wq1ZbK2m", "failed", "The receiver failed with 500", "http://127.0.0.1:3000/webhooks"],
  ["dlv_9", "delivered", "", "http://127.0.0.1:3000/webhooks"],
];

const terminal = (columns: number) => ({ isTTY: true, columns });
const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe("a table", () => {
  test("has one line for each row on a pipe, however long", () => {
    const text = rendered(formatTable({ isTTY: false, columns: 20 }, ROWS));
    expect(text.split("\n")).toHaveLength(3);
    expect(text).toContain("The receiver failed with 500  http://127.0.0.1:3000/webhooks");
  });

  test.each([100, 80, 60, 50])("fits a terminal of %i columns, and loses no word", (columns) => {
    const text = rendered(formatTable(terminal(columns), ROWS));
    expect(widest(text)).toBeLessThanOrEqual(columns);
    for (const word of ["dlv_4cG7wq1ZbK2m", "receiver", "500", "delivered"]) {
      expect(text).toContain(word);
    }
    expect(text.replace(/\s/g, "")).toHaveLength(ROWS.flat().join("").replace(/\s/g, "").length);
  });

  test("breaks a text between words, before it breaks inside of one", () => {
    const rows = [["a", "one two three four"]];
    expect(formatTable(terminal(12), rows)).toBe("a  one two\n   three\n   four");
  });

  test("is 80 columns wide on a terminal that does not say its width", () => {
    const rows = [["a", "word ".repeat(40).trim()]];
    expect(widest(formatTable(terminal(0), rows))).toBeLessThanOrEqual(80);
    const indented = formatTable(terminal(0), rows, 10);
    expect(widest(indented)).toBeLessThanOrEqual(70);
  });

  test("cannot be longer for a text of another, and no text begins a row", () => {
    expect(formatTable({}, [["a\nb", "\u001b[31m"]])).toBe("a\\nb  \\u001b[31m");
  });
});

describe("a time in a table", () => {
  const now = Date.parse("2026-01-31T09:00:00Z");
  test.each([
    ["2026-01-31T08:57:00Z", "3 min ago"],
    ["2026-01-31T12:00:08+03:00", "in 8 s"],
    ["2026-01-31T09:00:00Z", "now"],
    ["2026-01-28T09:00:00Z", "3 days ago"],
    ["soon", "soon"],
  ])("is how long ago it was: %s is %s", (at, text) => {
    expect(relativeTime(at, now)).toBe(text);
  });

  test("is whole where there is room", () => {
    expect(wholeTime("2026-01-31T08:57:00Z")).toMatch(/^2026-01-31T08:57:00Z \(.*\)$/);
  });
});

test("a state has a colour only if colours are shown", () => {
  const escapes = (text: string) => rendered(text, true).split("\u001b").length - 1;
  expect(escapes(formatTable({}, ROWS))).toBe(4);
  expect(escapes(formatTable({}, [["id"], ["failed"]]))).toBe(0);
  expect(escapes(formatFields([["status", "failed"]]))).toBeGreaterThan(
    escapes(formatFields([["name", "failed"]])),
  );
  expect(rendered(formatTable({}, [["state"], ["failed"]]))).toBe("state\nfailed");
});
