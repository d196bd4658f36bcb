import { describe, expect, test } from "vitest";
import { bullmqInbox } from "../../../src/webhooks/inbox/bullmq/inbox.ts";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { postgresInbox } from "../../support/stores/postgres-inbox.ts";
import { sqliteInbox } from "../../support/stores/sqlite-inbox.ts";

type Open = (options: object) => unknown;

/** Each with its required options, so that only the option under test is wrong. */
const INBOXES: readonly (readonly [name: string, open: Open])[] = [
  ["memoryInbox", (options) => memoryInbox(options)],
  ["sqliteInbox", (options) => sqliteInbox(":memory:", options)],
  ["bullmqInbox", (options) => bullmqInbox({ connection: { lazyConnect: true }, ...options })],
  [
    "postgresInbox",
    (options) => postgresInbox({ connectionString: "postgres://none", ...options }),
  ],
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

test("an inbox on an engine requires its connection", () => {
  for (const open of [bullmqInbox, postgresInbox] as readonly Open[]) {
    expect(() => open({})).toThrow(expect.objectContaining({ code: "configuration" }));
  }
});
