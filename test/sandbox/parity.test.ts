import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint, endpointFor } from "../../src/contract/endpoints.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import { type OpenApi, schemaChecks } from "../suites/openapi.ts";
import { directly, overHttp, transcriptThrough } from "../suites/sandbox-script.ts";
import { CANNOT_SHOW, type Entry, without } from "../suites/sandbox-skins.ts";

let direct: readonly Entry[];
let http: readonly Entry[];
beforeAll(async () => {
  direct = await transcriptThrough(directly);
  http = await transcriptThrough(overHttp);
});

/** Answers of the service itself, told apart from those that a fault made. */
const answers = () =>
  direct.filter(
    ({ status, headers }) => status !== undefined && headers?.["x-sandbox-fault"] === undefined,
  );
const rowOf = ({ asked }: Entry) => {
  const [method = "", path = ""] = asked.split(" ");
  return endpointFor(method, path.split("?")[0] ?? "")?.endpoint;
};

describe("one script through every skin", () => {
  test("gives the same transcript by sandbox.fetch every time", async () => {
    expect(await transcriptThrough(directly)).toEqual(direct);
  });

  test("gives the same transcript over HTTP, but for what is listed", () => {
    const limits = CANNOT_SHOW["sandbox.fetch"];
    expect(without(http, limits)).toEqual(without(direct, limits));
  });

  test("differs over HTTP in nothing else", () => {
    const differing = http.filter((entry, at) => !isDeepStrictEqual(entry, direct[at]));
    expect(differing.map(({ asked, status }) => [asked, status])).toEqual([
      ["POST /mobile-money/payment/initiate over 1 MiB", 413],
    ]);
  });

  test("lists in the docs what a skin cannot show", () => {
    const page = readFileSync("docs/sandbox.md", "utf8");
    for (const { what, why } of CANNOT_SHOW.msw) {
      expect(page).toContain(`| ${what} `);
      expect(page).toContain(`| ${why} `);
    }
  });
});

describe("the script", () => {
  test.each(Object.entries<Endpoint>(ENDPOINTS))(
    "sees %s granted, refused for its key and for its scope",
    (_, row) => {
      const seen = new Set(
        answers()
          .filter((one) => rowOf(one) === row)
          .map(({ status }) => status),
      );
      expect([...seen].some((status) => status === 200 || status === 201)).toBe(true);
      expect(seen).toContain(401);
      expect(seen).toContain(403);
    },
  );

  test("sees every status that the sandbox answers", () => {
    const statuses = new Set(http.map(({ status }) => status));
    for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 413, 422]) {
      expect(statuses).toContain(status);
    }
  });

  test("sees every fault and every mishap", () => {
    const marks = direct.flatMap(({ headers }) => headers?.["x-sandbox-fault"] ?? []);
    expect(new Set(marks)).toEqual(new Set(["status", "latency", "truncate", "apiErrors"]));
    const codes = direct.flatMap(({ failed, code }) => (failed ? [`${failed} ${code}`] : []));
    expect(new Set(codes)).toEqual(
      new Set(["TypeError ECONNRESET", "TypeError UND_ERR_SOCKET", "AbortError undefined"]),
    );
  });
});

describe("the OpenAPI document", () => {
  const check = schemaChecks(openApiDocument("http://127.0.0.1/api/v1") as unknown as OpenApi);

  test("holds of every answer of the sandbox", () => {
    let checked = 0;
    for (const entry of answers()) {
      const row = rowOf(entry);
      if (row === undefined || entry.status === undefined || entry.body === "") continue;
      const body = JSON.parse(entry.body ?? "");
      expect(check.response(row.method, row.path, entry.status, body), entry.asked).toEqual([]);
      checked++;
    }
    expect(checked).toBeGreaterThan(250);
  });

  test("holds of every request that the sandbox granted", () => {
    let checked = 0;
    for (const entry of answers()) {
      const row = rowOf(entry);
      if (!row?.request || !entry.sent?.trim() || Number(entry.status) >= 300) continue;
      const { method, path } = row;
      expect(check.request(method, path, JSON.parse(entry.sent)), entry.asked).toEqual([]);
      checked++;
    }
    expect(checked).toBeGreaterThan(100);
  });

  test("holds of every delivery", () => {
    const seen = direct.flatMap(({ asked, seen }) =>
      asked === "look: the deliveries" ? (seen as { event: string; body: string }[]) : [],
    );
    for (const { event, body } of seen) expect(check.event(event, JSON.parse(body))).toEqual([]);
    expect(new Set(seen.map(({ event }) => event)).size).toBe(6);
  });
});
