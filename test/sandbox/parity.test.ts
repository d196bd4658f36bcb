import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint, endpointFor } from "../../src/contract/endpoints.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";
import { type OpenApi, schemaChecks } from "../suites/openapi.ts";
import { inProcess, overHttp, recordTranscript } from "../suites/sandbox-script.ts";
import { type Entry, TRANSPORT_LIMITS, without } from "../suites/sandbox-transports.ts";

let direct: readonly Entry[];
let http: readonly Entry[];
beforeAll(async () => {
  direct = await recordTranscript(inProcess);
  http = await recordTranscript(overHttp);
});

/** The responses of the service itself, without those that a fault made. */
const serviceResponses = () =>
  direct.filter(
    ({ status, headers }) => status !== undefined && headers?.["x-sandbox-fault"] === undefined,
  );
const rowOf = ({ request }: Entry) => {
  const [method = "", path = ""] = request.split(" ");
  return endpointFor(method, path.split("?")[0] ?? "")?.endpoint;
};

describe("one script through every transport", () => {
  test("has the same transcript with sandbox.fetch every time", async () => {
    expect(await recordTranscript(inProcess)).toEqual(direct);
  });

  test("has the same transcript over HTTP, except for the listed limits", () => {
    const limits = TRANSPORT_LIMITS["sandbox.fetch"];
    expect(without(http, limits)).toEqual(without(direct, limits));
  });

  test("differs over HTTP in nothing else", () => {
    const differing = http.filter((entry, at) => !isDeepStrictEqual(entry, direct[at]));
    expect(differing.map(({ request, status }) => [request, status])).toEqual([
      ["POST /mobile-money/payment/initiate over 1 MiB", 413],
    ]);
  });

  test("the docs list what a transport cannot show", () => {
    const page = readFileSync("docs/reference/sandbox.md", "utf8");
    for (const { what } of TRANSPORT_LIMITS.msw) expect(page).toContain(what);
  });
});

describe("the script", () => {
  test.each(Object.entries<Endpoint>(ENDPOINTS))(
    "calls %s with success, with a wrong key, and without the scope",
    (_, row) => {
      const seen = new Set(
        serviceResponses()
          .filter((one) => rowOf(one) === row)
          .map(({ status }) => status),
      );
      expect([...seen].some((status) => status === 200 || status === 201)).toBe(true);
      expect(seen).toContain(401);
      expect(seen).toContain(403);
    },
  );

  test("gets every status that the sandbox returns", () => {
    const statuses = new Set(http.map(({ status }) => status));
    for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 413, 422]) {
      expect(statuses).toContain(status);
    }
  });

  test("gets every fault, set or random", () => {
    const faults = direct.flatMap(({ headers }) => headers?.["x-sandbox-fault"] ?? []);
    expect(new Set(faults)).toEqual(new Set(["status", "latency", "truncate", "apiErrors"]));
    const codes = direct.flatMap(({ error, errorCode }) =>
      error ? [`${error} ${errorCode}`] : [],
    );
    expect(new Set(codes)).toEqual(
      new Set(["TypeError ECONNRESET", "TypeError UND_ERR_SOCKET", "AbortError undefined"]),
    );
  });
});

describe("the OpenAPI document", () => {
  const check = schemaChecks(openApiDocument("http://127.0.0.1/api/v1") as unknown as OpenApi);

  test("describes every response of the sandbox", () => {
    let checked = 0;
    for (const entry of serviceResponses()) {
      const row = rowOf(entry);
      if (row === undefined || entry.status === undefined || entry.body === "") continue;
      const body = JSON.parse(entry.body ?? "");
      expect(check.response(row.method, row.path, entry.status, body), entry.request).toEqual([]);
      checked++;
    }
    expect(checked).toBeGreaterThan(250);
  });

  test("describes every request that the sandbox accepts", () => {
    let checked = 0;
    for (const entry of serviceResponses()) {
      const row = rowOf(entry);
      if (!row?.request || !entry.requestBody?.trim() || Number(entry.status) >= 300) continue;
      const { method, path } = row;
      expect(check.request(method, path, JSON.parse(entry.requestBody)), entry.request).toEqual([]);
      checked++;
    }
    expect(checked).toBeGreaterThan(100);
  });

  test("describes every delivery", () => {
    const seen = direct.flatMap(({ request, value }) =>
      request === "look: the deliveries" ? (value as { event: string; body: string }[]) : [],
    );
    for (const { event, body } of seen) expect(check.event(event, JSON.parse(body))).toEqual([]);
    expect(new Set(seen.map(({ event }) => event)).size).toBe(6);
  });
});
