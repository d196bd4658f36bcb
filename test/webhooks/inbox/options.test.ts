import { bullmqInbox } from "malipo/inbox/bullmq";
import { pgBossInbox } from "malipo/inbox/pg-boss";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { memoryInbox } from "malipo/webhooks";
import { describe, expect, test } from "vitest";

type Open = (options: object) => unknown;

/** Each with what it needs, so that nothing but the option under test is wrong. */
const INBOXES: readonly (readonly [name: string, open: Open])[] = [
  ["memoryInbox", (options) => memoryInbox(options)],
  ["sqliteInbox", (options) => sqliteInbox(":memory:", options)],
  ["bullmqInbox", (options) => bullmqInbox({ connection: { lazyConnect: true }, ...options })],
  ["pgBossInbox", (options) => pgBossInbox({ connectionString: "postgres://none", ...options })],
];

describe.each(INBOXES)("%s", (name, open) => {
  test("refuses an option that it does not have, by name", () => {
    expect(() => open({ retentionDays: 3 })).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: expect.stringContaining(`${name} has no option "retentionDays"`),
      }),
    );
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "3"])(
    "refuses a retention of %s",
    (retentionMs) => {
      expect(() => open({ retentionMs })).toThrow(
        expect.objectContaining({
          code: "configuration",
          message: `${name}: \`retentionMs\` is ${retentionMs}. It takes a number of milliseconds above 0.`,
        }),
      );
    },
  );
});

test("what an inbox has is told where it has not what was asked for", () => {
  expect(() => memoryInbox({ path: "inbox.db" } as object)).toThrow("It has retentionMs, pace.");
  expect(memoryInbox({ retentionMs: 1, pace: undefined })).toBeDefined();
});

test("what an engine is reached by must be given", () => {
  for (const open of [bullmqInbox, pgBossInbox] as readonly Open[]) {
    expect(() => open({})).toThrow(expect.objectContaining({ code: "configuration" }));
  }
});
