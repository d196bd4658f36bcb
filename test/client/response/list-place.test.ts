import { Gateway } from "malipo";
import { describe, expect, test } from "vitest";
import { Recorder } from "../../../src/learn/recorder.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";

const BODY = { response: { rows: [{ reference: "R1" }], other: [{ id: 1 }] }, total: 1 };

function gatewayOf(body: object, profile?: ReturnType<typeof encodeProfile>) {
  const fetch = async () => Response.json(body);
  return new Gateway({ apiKey: "pk_x", baseUrl: "https://a.example", fetch, profile });
}

describe("the place of a list", () => {
  test("is the one that the profile knows", async () => {
    const recorder = new Recorder({ by: "probe" });
    const exchange = { method: "GET", path: "/payments", status: 200, headers: [] };
    recorder.record({ ...exchange, body: JSON.stringify(BODY) });
    const profile = encodeProfile(recorder.profile());
    const page = await gatewayOf(BODY, profile).payments.list();
    expect(page.items).toEqual([{ reference: "R1" }]);
    expect(page.meta).toEqual({ other: [{ id: 1 }], total: 1 });
    await expect(gatewayOf(BODY).payments.list()).rejects.toThrow("its body holds no list");
  });

  test("is the only array of the body without a profile", async () => {
    const body = { content: [{ reference: "R1" }], totalElements: 1 };
    expect((await gatewayOf(body).payments.list()).items).toEqual([{ reference: "R1" }]);
  });

  test.for(["Data", "responseBody", "responsePayload", "response", "payload", "result"])(
    "is below %s without a profile",
    async (name) => {
      const body = { [name]: { content: [{ reference: "R1" }], last: true }, responseCode: "0" };
      const page = await gatewayOf(body).payments.list();
      expect(page.items).toEqual([{ reference: "R1" }]);
      expect(page.meta).toEqual({ responseCode: "0", last: true });
    },
  );

  test("is the array with a usual name before one below a wrapper", async () => {
    const body = { items: [{ reference: "R1" }], result: { codes: [{ code: 0 }] } };
    expect((await gatewayOf(body).payments.list()).items).toEqual([{ reference: "R1" }]);
  });

  test("is never an array of errors", async () => {
    const list = gatewayOf({ errors: [], total: 0 }).payments.list();
    await expect(list).rejects.toThrow("its body holds no list");
  });
});
