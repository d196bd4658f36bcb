import { ASSUMPTIONS, createSandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const grouped = (number: number) => number.toLocaleString("en-US");
const money = (cents: number) =>
  (cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });

describe("an assumption", () => {
  test.each(Object.entries(ASSUMPTIONS))(
    "says what it is about, what was chosen and why: %s",
    (_, entry) => {
      for (const text of [entry.about, entry.choice, entry.reason]) {
        expect(text).toMatch(/^\S.{4,}\S$/);
      }
    },
  );

  test.each(Object.entries(ASSUMPTIONS))(
    "has a rule that decides it and a knob, or a reason why it cannot be learned: %s",
    (_, { learn }) => {
      if ("never" in learn) expect(learn.never).toMatch(/^\S.{10,}\S$/);
      else {
        expect(learn.knob).toMatch(/^\S.{10,}\S$/);
      }
    },
  );

  test("is about a choice that no other is about", () => {
    const subjects = Object.values(ASSUMPTIONS).map(({ about }) => about);
    expect(new Set(subjects).size).toBe(subjects.length);
  });
});

describe("the text of an assumption names the value that the sandbox uses", () => {
  const { address, amountBounds, lists, promptLifetime, autoAnswerDelay, balance } = ASSUMPTIONS;
  const { deliverySchedule, invoices } = ASSUMPTIONS;
  const { origin, prefix, port } = address.value;
  const units = [
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
  ] as const;
  const duration = (ms: number) => {
    const [size, unit] = units.find(([one]) => ms >= one) ?? [1, "ms"];
    return `${ms / size} ${unit}`;
  };
  const delays = deliverySchedule.value.map(duration);

  test.each([
    ["the address in process", address.choice, origin + prefix],
    ["the address when served", address.choice, `http://127.0.0.1:${port}${prefix}`],
    ["the least amount", amountBounds.choice, `${grouped(amountBounds.value.minAmount)} to `],
    ["the greatest amount", amountBounds.choice, ` to ${grouped(amountBounds.value.maxAmount)},`],
    ["the length of a page", lists.choice, `${lists.value.perPage} unless given`],
    ["the longest page", lists.choice, `${lists.value.maxPerPage} at most`],
    ["the life of a prompt", promptLifetime.choice, `${promptLifetime.value / 1_000} s,`],
    [
      "the delay of an automatic answer",
      autoAnswerDelay.choice,
      `${autoAnswerDelay.value / 1_000} s after`,
    ],
    ["the first balance", balance.choice, `${money(balance.value)} at first`],
    [
      "the retries",
      deliverySchedule.choice,
      `${delays.slice(0, -1).join(", ")} and ${delays.at(-1)}`,
    ],
    ["the due date", invoices.choice, `${invoices.value / 86_400_000} days ahead`],
  ])("%s", (_, choice, words) => {
    expect(choice).toContain(words);
  });

  test("and the sandbox uses it", async () => {
    const sandbox = createSandbox();
    const { sandbox: key } = sandbox.keys;
    const call = async (method: string, path: string, body?: object) => {
      const init = {
        method,
        headers: { "x-api-key": key },
        ...(body && { body: JSON.stringify(body) }),
      };
      return (await sandbox.fetch(sandbox.baseUrl + path, init)).json();
    };
    expect(sandbox.baseUrl).toBe(origin + prefix);
    expect(sandbox.phone("0712345678").balance).toBe((balance.value / 100).toFixed(2));
    expect((await call("GET", "/invoices")).meta.per_page).toBe(lists.value.perPage);
    const { data } = await call("POST", "/invoices", {});
    expect(Date.parse(data.due_at) - Date.parse(data.created_at)).toBe(invoices.value);
    for (const amount of Object.values(amountBounds.value)) {
      sandbox.phone("0712345678").always("approve");
      await call("POST", "/payments/initiate", { amount, phone: "0712345678" });
      await sandbox.clock.advance(autoAnswerDelay.value - 1);
      expect(sandbox.phone("0712345678").prompt).toBeDefined();
      await sandbox.clock.advance(1);
      expect(sandbox.phone("0712345678").prompt).toBeUndefined();
    }
  });
});
