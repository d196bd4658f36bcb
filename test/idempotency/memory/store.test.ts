import { afterEach, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { keepsTimeByThisClock } from "../../suites/idempotency-clock.ts";
import { attemptOf } from "../../suites/idempotency-stage.ts";
import { standsByTheContract } from "../../suites/idempotency-store.ts";

standsByTheContract("memory", async (options) => memoryIdempotency(options));
keepsTimeByThisClock("memory", async (options) => memoryIdempotency(options));

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([undefined, {}, { getBuiltinModule: () => undefined }])(
  "the store in memory works without node:crypto: %j",
  async (process) => {
    vi.stubGlobal("process", process);
    const store = memoryIdempotency({ pepper: "a secret" });
    expect(await store.begin("k", attemptOf("a"))).toEqual({ state: "begun" });
    const other = attemptOf("b", { parameters: "{}" });
    expect(await store.begin("k", other)).toMatchObject({ sameParameters: false });
    const { attempts } = await store.list({ digests: { parameters: store.digest("{}") } });
    expect(attempts).toEqual([]);
  },
);
