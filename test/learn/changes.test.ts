import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { openapiOf } from "../../src/learn/openapi.ts";
import { compareProfiles } from "../../src/profile/compare-profiles.ts";
import { CHECK, DIFF } from "../../src/profile/compare-shapes.ts";
import type { ServiceProfile } from "../../src/profile/profile-types.ts";
import { learn as learnDialect } from "../sandbox/profile/learn.ts";
import { LEARNABLE_DIALECTS } from "../support/dialects/index.ts";
import { learn } from "./support/exchanges.ts";

const diffProfiles = (a: ServiceProfile, b: ServiceProfile) => compareProfiles(a, b, DIFF);
const checkAgainst = (a: ServiceProfile, b: ServiceProfile) => compareProfiles(a, b, CHECK);

const merchant = (data: unknown, status = 200) => ({
  exchange: {
    method: "GET",
    path: "/merchant",
    status,
    headers: [],
    body: JSON.stringify({ data }),
  },
});
const SHOP = { name: "A", phone: "254712345678", status: "active" };
const known = learn("aaaaaaaa", [merchant(SHOP)]);

describe("diff", () => {
  test("does not look at counts, runs or values", () => {
    const other = { ...SHOP, name: "B", phone: "254100000000" };
    expect(diffProfiles(known, learn("bbbbbbbb", [merchant(other), merchant(other)]))).toEqual([]);
  });

  test("names each place that differs, with what each profile says", () => {
    const { phone: _, ...rest } = SHOP;
    const now = learn("bbbbbbbb", [merchant(SHOP), merchant({ ...rest, name: null })]);
    expect(diffProfiles(known, now)).toEqual([
      {
        path: "GET /merchant data.name",
        before: "string",
        after: "null or string",
      },
    ]);
  });
});

describe("check", () => {
  const found = (data: unknown, status?: number) =>
    checkAgainst(known, learn("bbbbbbbb", [merchant(data, status)])).map(({ path }) => path);

  test("finds nothing if the service is as it was", () => {
    expect(found({ ...SHOP, name: "B" })).toEqual([]);
  });

  test("finds a new field, a new format and a header that vanished", () => {
    expect(found({ ...SHOP, plan: "free" })).toEqual(["GET /merchant data.plan"]);
    expect(found({ ...SHOP, phone: "+254 712" })).toEqual(["GET /merchant data.phone"]);
    const { exchange } = merchant(SHOP);
    const headers = [["x-request-id", "1"]] as const;
    const before = learn("aaaaaaaa", [{ exchange: { ...exchange, headers } }]);
    const paths = checkAgainst(before, known).map(({ path }) => path);
    expect(paths).toEqual(["GET /merchant header x-request-id"]);
  });

  test("finds a field that vanished, a changed type, a new value of a status, a changed status code", () => {
    const { phone: _, ...rest } = SHOP;
    expect(found(rest)).toEqual(["GET /merchant data.phone"]);
    expect(found({ ...SHOP, phone: 1 })).toEqual(["GET /merchant data.phone"]);
    expect(found({ ...SHOP, status: "blocked" })).toEqual(["GET /merchant data.status"]);
    expect(found(SHOP, 203)).toEqual(["GET /merchant status"]);
  });

  test("finds nothing in what was not seen again", () => {
    expect(checkAgainst(known, learn("bbbbbbbb", []))).toEqual([]);
  });
});

describe("the OpenAPI document of a profile", () => {
  test.each(LEARNABLE_DIALECTS)(
    "$name is valid, and has the statuses that were seen",
    async (dialect) => {
      const document = openapiOf(await learnDialect(dialect), "https://gateway.example/v1");
      const { valid, errors } = await new Validator().validate(
        JSON.parse(JSON.stringify(document)),
      );
      expect(errors).toBeUndefined();
      expect(valid).toBe(true);
      const paths = document.paths as Record<string, Record<string, { responses: object }>>;
      const { created } = dialect.statuses;
      expect(Object.keys(paths["/invoices"]?.post?.responses ?? {})).toContain(String(created));
    },
  );
});
