import { describe, expect, test } from "vitest";
import { batchReplies } from "../../../../src/webhooks/inbox/bullmq/shards/batch.ts";

describe("the replies of a batch", () => {
  test("are those of its calls, errors included", () => {
    const failed = new Error("OOM");
    expect(batchReplies([null, failed, "known"], 3)).toEqual([null, failed, "known"]);
  });

  test.each([[[null, null]], [[null, null, null, null]], [null], ["OK"]])(
    "are an error where they are not as many as the calls: %o",
    (reply) => {
      expect(() => batchReplies(reply, 3)).toThrow("another number of replies than 3 calls");
    },
  );

  test("are the error of the whole batch, where it failed", () => {
    expect(() => batchReplies(new Error("READONLY"), 3)).toThrow("READONLY");
  });
});
