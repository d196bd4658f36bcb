import { existsSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { malipo, startCommand } from "../in-process.ts";
import { newFolder, startLenient } from "./services.ts";

type Options = Parameters<typeof startLenient>[0];

async function lenient(options?: Options) {
  const service = await startLenient(options);
  onTestFinished(service.close);
  const left = () => [...service.resources.values()].flat();
  return { ...service, left };
}

function folderWithKeys() {
  const made = newFolder({ key: "sb_canary_5e1f7c20" });
  onTestFinished(() => rmSync(made.folder, { recursive: true, force: true }));
  return made;
}

async function probe(baseUrl: string, ...flags: string[]) {
  const { folder, path } = folderWithKeys();
  const args = ["probe", "--base-url", baseUrl, "--key-file", "key", "--write", ...flags];
  const exit = await malipo(args, { cwd: folder });
  return { ...exit, file: path("malipo.service.json") };
}

const kindId = (fields: Record<string, unknown>, n: number) =>
  "url" in fields ? { webhook_id: n } : { invoice_id: n };

describe("a probe with --write", () => {
  test("creates one invoice and one webhook, reads, changes and deletes them, and sends nothing", async () => {
    const service = await lenient();
    const { code, stdout } = await probe(service.baseUrl);
    expect(code).toBe(EXIT.ok);
    const writes = service.seen
      .filter(({ method, path }) => method !== "GET" && !path.startsWith("/mobile-money"))
      .map(({ method, path }) => `${method} ${path.replace(/[\w-]*unknown$/, "{unknown}")}`);
    expect(writes).toEqual([
      "DELETE /invoices/{unknown}",
      "DELETE /webhooks/{unknown}",
      "PATCH /payments",
      "POST /invoices",
      "PUT /invoices/1",
      "PUT /invoices/1",
      "POST /webhooks/register",
      "PUT /webhooks/2",
      "PUT /webhooks/2",
      "DELETE /invoices/1",
      "DELETE /webhooks/2",
    ]);
    const created = service.seen.find(
      ({ method, path }) => `${method} ${path}` === "POST /invoices",
    );
    expect(Object.keys(JSON.parse(created?.body ?? ""))).toEqual(["amount", "description"]);
    expect(service.left()).toEqual([]);
    expect(stdout).toContain("It creates one invoice and one webhook");
  });

  test("sends nothing to a path that an id would lead elsewhere", async () => {
    const service = await lenient({ view: (fields) => ({ ...fields, id: ".." }) });
    const { code, stdout } = await probe(service.baseUrl);
    expect([code, stdout]).toEqual([EXIT.failed, expect.stringContaining("did not return its id")]);
    const deleted = service.seen.filter(({ method }) => method === "DELETE");
    expect(deleted.map(({ path }) => path)).toEqual([
      "/invoices/malipo-probe-unknown",
      "/webhooks/malipo-probe-unknown",
    ]);
    for (const { path } of service.seen) expect(path).not.toMatch(/\/$/);
  });

  const FORMS: readonly (readonly [string, NonNullable<Options>])[] = [
    ["invoice_id and webhook_id", { view: (fields, n) => ({ ...kindId(fields, n), ...fields }) }],
    ["uuid", { view: (fields, n) => ({ uuid: `u-${n}`, ...fields }), id: (n) => `u-${n}` }],
    [
      "a number beside an id that no path accepts",
      {
        view: (fields, n) => ({ id: n + 900, number: `N-${n}`, ...fields }),
        id: (n) => `N-${n}`,
      },
    ],
    [
      "an id deep inside the response",
      {
        wrap: (data) => ({
          ok: true,
          request: { id: 7_001 },
          result: { entries: [{ resource: data }] },
        }),
      },
    ],
    [
      "an id beside the attributes, as JSON:API has it",
      {
        view: ({ name, description, ...fields }, n) => ({
          type: "resource",
          id: `t-${n}`,
          attributes: { number: 7_001, name, description, fields },
          relationships: { merchant: { data: { type: "merchant", id: "7002" } } },
        }),
        id: (n) => `t-${n}`,
      },
    ],
    [
      "an id in an object beside that of the fields",
      {
        view: (fields, n) => ({ metadata: { uid: `u-${n}` }, spec: fields, owner: { id: 7_001 } }),
        id: (n) => `u-${n}`,
      },
    ],
    [
      "an id with a slash and a space",
      { view: (fields, n) => ({ id: `a/b ${n}`, ...fields }), id: (n) => `a/b ${n}` },
    ],
    ["an id that only the list shows", { created: () => ({ success: true }) }],
    [
      "an id beside others in a response without the resource itself",
      {
        created: (n) => ({ request: { id: 7_001 }, merchant: { id: 7_002 }, id: n }),
      },
    ],
    ["an id in a response that repeats nothing", { created: (n) => ({ id: n }) }],
    [
      "resources without any name",
      { view: (_, n) => ({ id: n, status: "draft" }), created: (n) => ({ data: { id: n } }) },
    ],
    ["no envelope", { wrap: (data) => data, list: (items) => items }],
  ];

  test.each(FORMS)("deletes what it created if the service uses %s", async (_, options) => {
    const service = await lenient(options);
    const { code, stdout } = await probe(service.baseUrl);
    expect([code, service.left()]).toEqual([EXIT.ok, []]);
    expect(stdout).not.toContain("Left at the service");
    for (const { method, path } of service.seen) {
      if (method === "DELETE") expect(path).not.toMatch(/700[12]/);
    }
  });

  test("deletes nothing that it did not create, whatever ids a response holds", async () => {
    const service = await lenient({
      // The id of the merchant is that of an invoice too.
      created: () => ({ id: 55, message: "created" }),
      list: (items) => ({ data: items.filter(({ description }) => description === "ours") }),
    });
    service.resources.get("/invoices")?.push({ n: 55, fields: { description: "ours" } });
    const { code, stdout } = await probe(service.baseUrl);
    expect(service.resources.get("/invoices")).toContainEqual({
      n: 55,
      fields: { description: "ours" },
    });
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain("Left at the service: the invoice");
  });

  test.each([
    ["a later step breaks the connection", "reset"],
    ["the service has a storm of errors", 503],
    ["a page comes in the place of JSON", "html"],
  ] as const)("deletes what it created when %s", async (_, how) => {
    let isBroken = false;
    const service = await lenient({
      before: ({ method, path }, response) => {
        if (method === "POST" && path === "/webhooks/register") isBroken = true;
        if (!isBroken || method === "DELETE" || method === "POST") return undefined;
        if (how === "html") return { status: 200, body: "<h1>Sorry</h1>" };
        if (how === 503) return { status: 503, body: {} };
        response.destroy();
        return undefined;
      },
    });
    const { code, stdout, stderr, file } = await probe(service.baseUrl);
    expect(service.left()).toEqual([]);
    expect(stdout + stderr).not.toContain("Left at the service");
    if (how === "html") return;
    expect(code).not.toBe(EXIT.ok);
    expect(existsSync(file)).toBe(false);
  });

  test("finds an invoice in the list whose creation got no response, and deletes it", async () => {
    const service = await lenient({
      before: ({ method, path, body }, response) => {
        if (method !== "POST" || path !== "/invoices") return undefined;
        service.resources.get("/invoices")?.push({ n: 41, fields: JSON.parse(body) });
        response.destroy();
        return undefined;
      },
    });
    const { code } = await probe(service.baseUrl);
    expect(code).toBe(EXIT.unreachable);
    expect(service.left()).toEqual([]);
  });

  test("says what it could not delete, writes the profile, and exits with 1", async () => {
    const service = await lenient({
      before: ({ method, path }) =>
        method === "DELETE" && /\d$/.test(path)
          ? { status: 403, body: { success: false, error: "no scope" } }
          : undefined,
    });
    const { code, stdout, file } = await probe(service.baseUrl);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/Left at the service: the invoice 1 \("malipo probe \w+"\)/);
    expect(stdout).toContain("Left at the service: the webhook 2");
    expect(existsSync(file)).toBe(true);
    const { rejections } = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.keys(rejections.missing_scope)).toEqual(["403"]);
  });

  test("goes on without an invoice if the service does not accept one", async () => {
    const service = await lenient({
      before: ({ method, path }) =>
        method === "POST" && path === "/invoices"
          ? { status: 422, body: { success: false, error: "customer is required" } }
          : undefined,
    });
    const { code, stdout } = await probe(service.baseUrl);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain("left out: no invoice was created");
    expect(service.seen.some(({ method }) => method === "PUT")).toBe(true);
    expect(service.left()).toEqual([]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "deletes what it created when %s comes, also while a creation is on its way",
    async (signal) => {
      let stop = () => {};
      const service = await lenient({
        before: async ({ method, path }) => {
          if (method !== "POST" || path !== "/webhooks/register") return undefined;
          stop();
          return undefined;
        },
      });
      const { folder, path } = folderWithKeys();
      const args = ["probe", "--base-url", service.baseUrl, "--key-file", "key", "--write"];
      const { stop: interrupt, ended, output } = startCommand(args, { cwd: folder });
      stop = () => void interrupt(signal);
      expect(await ended).toBe(EXIT.failed);
      expect(service.left()).toEqual([]);
      expect(service.seen.filter(({ method }) => method === "DELETE")).toHaveLength(4);
      expect(output()).toContain("It deletes what it created");
      expect(output()).toContain("The probe was stopped");
      expect(output()).not.toMatch(/\n {4}at /);
      expect(existsSync(path("malipo.service.json"))).toBe(false);
    },
  );
});
