import { describe, test } from "vitest";
import { RESULT_CODES } from "../../src/contract/result-codes.ts";
import { malipo } from "./in-process.ts";

describe.concurrent("malipo explain", () => {
  test("says the cause, what to tell the customer and whether to try again", async ({ expect }) => {
    const { code, stdout } = await malipo(["explain", "1037"]);
    expect(code).toBe(0);
    for (const part of [/code +1037/, /did not answer/, /tell the customer/, /idempotency key/]) {
      expect(stdout).toMatch(part);
    }
  });

  test("takes a reason as the service sends it", async ({ expect }) => {
    const { json } = await malipo(["explain", "Request cancelled by user", "--json"]);
    expect(json()).toMatchObject({ code: "1032", retry: "now" });
  });

  test("says that it does not know an unknown code", async ({ expect }) => {
    const { code, stdout } = await malipo(["explain", "777"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/777 is not known here/);
  });

  test("lists all codes without one", async ({ expect }) => {
    const { json } = await malipo(["explain", "--json"]);
    expect(json().map(({ code }: { code: string }) => code)).toEqual(Object.keys(RESULT_CODES));
  });
});
