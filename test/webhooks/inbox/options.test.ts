import { describe, expect, test } from "vitest";
import { postgres } from "../../../src/engines/postgres.ts";
import { sqlite } from "../../../src/engines/sqlite.ts";
import { bullmqInbox } from "../../../src/webhooks/inbox/bullmq/inbox.ts";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";

type Open = (options: object) => unknown;

/** Each with its required options, so that only the option under test is wrong. */
const INBOXES: readonly (readonly [name: string, open: Open])[] = [
  ["memoryInbox", (options) => memoryInbox(options)],
  [
    "The inbox of redis",
    (options) => bullmqInbox({ connection: { lazyConnect: true }, ...options }),
  ],
  ["The inbox of postgres", (options) => postgres("postgres://none").inbox(options)],
  ["The inbox of sqlite", (options) => sqlite(":memory:").inbox(options)],
];

describe.each(INBOXES)("%s", (name, open) => {
  test("rejects an unknown option, and names it", () => {
    expect(() => open({ retentionDays: 3 })).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: expect.stringContaining(`${name} has no option "retentionDays"`),
      }),
    );
  });

  const OVER_68_YEARS = 2_147_483_648_000;

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, OVER_68_YEARS, "3"])(
    "rejects a retention of %s",
    (retentionMs) => {
      expect(() => open({ retentionMs })).toThrow(
        expect.objectContaining({
          code: "configuration",
          message: `\`retentionMs\` must be a number of milliseconds above 0 and at most 2147483647000, which is 68 years; got ${typeof retentionMs === "string" ? "a string" : retentionMs}.`,
        }),
      );
    },
  );
});

test("the error for an unknown option lists the options", () => {
  expect(() => memoryInbox({ path: "inbox.db" } as object)).toThrow(
    "Its options are: retentionMs, pace.",
  );
  expect(memoryInbox({ retentionMs: 1, pace: undefined })).toBeDefined();
});

test("an inbox on Redis requires its connection", () => {
  expect(() => bullmqInbox({} as never)).toThrow(
    expect.objectContaining({ code: "configuration" }),
  );
});
