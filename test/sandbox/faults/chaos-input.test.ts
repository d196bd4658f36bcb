import { ConfigurationError } from "malipo";
import { type ChaosOptions, createSandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { fc } from "../../support/properties.ts";

describe("bad input", () => {
  const sandbox = createSandbox();

  test.each<[unknown, RegExp]>([
    [{ duplicates: 0.1 }, /no option "duplicates".* duplicate/],
    [{ drop: 1.1 }, /`drop` must be a rate from 0 \(never\) to 1 \(always\); got 1\.1/],
    [{ drop: -0.1 }, /`drop` .* got -0\.1/],
    [{ drop: Number.NaN }, /`drop` .* got NaN/],
    [{ drop: "0.5" }, /`drop` .* got a string/],
    [{ drop: null }, /`drop` .* got null/],
    [{ seed: {}, drop: 1 }, /`seed` must be a string or a number; got an object/],
  ])("%j throws a ConfigurationError, and changes nothing", (options, message) => {
    sandbox.chaos({ delay: 1 });
    const before = sandbox.snapshot();
    const wrong = () => sandbox.chaos(options as ChaosOptions);
    expect(wrong).toThrow(ConfigurationError);
    expect(wrong).toThrow(message);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test.each<[string, unknown]>([
    ["chaos", "none"],
    ["chaos", { seed: 1, rates: {}, calls: 0, held: {} }],
    ["chaos", { seed: "1", rates: { drop: "x" }, calls: 0, held: {} }],
    ["chaos", { seed: "1", rates: {}, held: {} }],
    ["chaos", { seed: "1", rates: {}, calls: 0 }],
    ["otherSecrets", [1]],
  ])("%s of a snapshot that is %j is not restored", (part, damage) => {
    const before = sandbox.snapshot();
    expect(() => sandbox.restore({ ...before, [part]: damage })).toThrow(`\`${part}\``);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("any seed can be in a header", () => {
    return fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (seed) => {
        sandbox.chaos({ seed, apiErrors: 1 });
        const response = await sandbox.fetch(`${sandbox.baseUrl}/merchant`);
        const received = decodeURIComponent(response.headers.get("x-sandbox-chaos-seed") ?? "");
        expect(received).toBe(Buffer.from(seed).toString());
      }),
    );
  });
});
