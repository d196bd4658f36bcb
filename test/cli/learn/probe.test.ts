import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { chooseSteps, STEPS } from "../../../src/learn/probe/steps.ts";
import { parseProfile } from "../../../src/profile/parse-profile.ts";
import { LEARNABLE_DIALECTS } from "../../support/dialects/index.ts";
import { malipo } from "../in-process.ts";
import { newFolder, startDialect, startLenient } from "./services.ts";

const SANDBOX_KEY = "sb_canary_5e1f7c20";
const PUBLIC_KEY = "pk_canary_93ab04d1";

function folderWithKeys() {
  const made = newFolder({ key: SANDBOX_KEY, public: PUBLIC_KEY });
  onTestFinished(() => rmSync(made.folder, { recursive: true, force: true }));
  return made;
}

async function lenient(options?: Parameters<typeof startLenient>[0]) {
  const service = await startLenient(options);
  onTestFinished(service.close);
  return service;
}

describe("a probe without flags", () => {
  test("sends no POST but validate-phone, even to a service that accepts everything", async () => {
    const service = await lenient();
    const { folder } = folderWithKeys();
    const args = ["probe", "--base-url", service.baseUrl, "--key-file", "key"];
    const { code, stderr } = await malipo(args, { cwd: folder });
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    const requests = [...new Set(service.seen.map(({ method, path }) => `${method} ${path}`))];
    expect(requests.map((one) => one.replace(/\/[\w-]*unknown$/, "/{unknown}"))).toEqual([
      "GET /merchant",
      "GET /merchant/payment-accounts",
      "GET /payments",
      "GET /webhooks",
      "GET /invoices",
      "POST /mobile-money/validate-phone",
      "GET /payments/{unknown}",
      "GET /invoices/{unknown}",
      "DELETE /invoices/{unknown}",
      "DELETE /webhooks/{unknown}",
      "GET /malipo-probe",
      "PATCH /payments",
    ]);
    expect([...service.resources.values()].flat()).toEqual([]);
  });

  test("sends one request at a time", async () => {
    let open = 0;
    let most = 0;
    const service = await lenient({
      before: async (_, response) => {
        most = Math.max(most, ++open);
        response.once("close", () => open--);
        await new Promise((resolve) => setTimeout(resolve, 2));
        return undefined;
      },
    });
    const { folder } = folderWithKeys();
    await malipo(["probe", "--base-url", service.baseUrl, "--key-file", "key"], { cwd: folder });
    expect(most).toBe(1);
  });

  test("says everything that it will send before it sends anything", async () => {
    const service = await lenient();
    const { folder } = folderWithKeys();
    const args = ["probe", "--base-url", service.baseUrl, "--key-file", "key"];
    const { stdout } = await malipo(args, { cwd: folder });
    const [plan = ""] = stdout.split("shapes, never values.");
    for (const { method, path } of service.seen) {
      const [row] = path.split(/(?=\/[\w-]*unknown$)/);
      expect(plan).toContain(`${method} ${row}`);
    }
    expect(plan).toContain("It creates nothing");
    expect(plan).toContain("It starts no payment");
    expect(plan).toContain("malipo.service.json");
    expect(plan).not.toContain("POST /invoices");
  });

  test("prints its plan and the assumptions, and no line for each request", async () => {
    const service = await lenient();
    const { folder } = folderWithKeys();
    const args = ["probe", "--base-url", service.baseUrl, "--key-file", "key"];
    const { stdout } = await malipo(args, { cwd: folder });
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toMatch(/\d+ of \d+ requests: /);
    expect(stdout.indexOf("Not seen")).toBeGreaterThan(stdout.indexOf("It creates nothing"));
    expect(stdout).toContain("npx malipo sandbox --profile malipo.service.json");
  });

  test("takes the URL and the key from the environment", async () => {
    const service = await lenient();
    const { folder, path } = folderWithKeys();
    const env = { MALIPO_API_KEY: SANDBOX_KEY, MALIPO_BASE_URL: service.baseUrl };
    expect((await malipo(["probe"], { cwd: folder, env })).code).toBe(EXIT.ok);
    expect(existsSync(path("malipo.service.json"))).toBe(true);
  });
});

describe.each(LEARNABLE_DIALECTS.map(({ name }) => name))("the dialect %s", (name) => {
  test("is learned whole, and nothing is left there", async () => {
    const { service, baseUrl, close, get } = await startDialect(name);
    onTestFinished(close);
    const { folder, path } = newFolder({ key: service.keys.sandbox, public: service.keys.public });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const before = [await get("/invoices"), await get("/webhooks")];
    const answer = setInterval(() => {
      try {
        service.answer("254712345678", "approve");
      } catch {
        // There is no prompt yet.
      }
    }, 100);
    onTestFinished(() => clearInterval(answer));
    const flags = ["--key-file", "key", "--public-key-file", "public", "--write"];
    const args = ["probe", "--base-url", baseUrl, ...flags, "--prompt", "0712345678", "--json"];
    const { code, json, stdout } = await malipo(args, { cwd: folder });
    expect(code).toBe(EXIT.ok);
    expect(json()).toMatchObject({ out: "malipo.service.json", missing: [], left: [] });
    expect([await get("/invoices"), await get("/webhooks")].map(withoutIds)).toEqual(
      before.map(withoutIds),
    );
    const file = readFileSync(path("malipo.service.json"), "utf8");
    const { endpoints, rejections } = parseProfile(JSON.parse(file));
    expect(Object.keys(endpoints).sort()).toEqual(
      [
        "DELETE /invoices/{invoice}",
        "DELETE /webhooks/{id}",
        "GET /invoices",
        "GET /invoices/{invoice}",
        "GET /merchant",
        "GET /merchant/payment-accounts",
        "GET /payments",
        "GET /payments/{reference}",
        "GET /webhooks",
        "POST /invoices",
        "POST /mobile-money/payment/initiate",
        "POST /mobile-money/payment/status",
        "POST /mobile-money/validate-phone",
        "POST /webhooks/register",
        "PUT /invoices/{invoice}",
        "PUT /webhooks/{id}",
      ].sort(),
    );
    expect(Object.keys(rejections)).toEqual(
      expect.arrayContaining([
        ...["invalid_field", "invalid_json", "invalid_phone", "no_key", "unknown_id"],
        ...["unknown_key", "unknown_path", "wrong_method"],
        // Without scopes, all lists are read, and the limit of requests comes before a wrong kind of key.
        ...(name === "scopeless" ? [] : ["wrong_kind"]),
      ]),
    );
    for (const key of Object.values(service.keys)) expect(stdout + file).not.toContain(key);
    for (const value of ["254712345678", "0712345678", "malipo probe", "malipo-probe"]) {
      expect(file).not.toContain(value);
    }
    expect(service.seen.filter((one) => one.endsWith("/send"))).toEqual([]);
  });
});

/** Dialects give each response an id. */
const withoutIds = (text: string) => text.replace(/[\da-f]{8}-[\da-f-]{27}/g, "");

describe("the file", () => {
  const probe = (baseUrl: string, folder: string, ...flags: string[]) =>
    malipo(["probe", "--base-url", baseUrl, "--key-file", "key", ...flags], { cwd: folder });

  test("has the mode 0644, and no draft stays beside it", async () => {
    const service = await lenient();
    const { folder, path } = folderWithKeys();
    await probe(service.baseUrl, folder, "--out", "a.json");
    expect(statSync(path("a.json")).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder).sort()).toEqual(["a.json", "key", "public"]);
  });

  test("is replaced by the next probe", async () => {
    const service = await lenient();
    const { folder, path } = folderWithKeys();
    await probe(service.baseUrl, folder);
    const [first] = Object.keys(JSON.parse(readFileSync(path("malipo.service.json"), "utf8")).runs);
    expect((await probe(service.baseUrl, folder)).code).toBe(EXIT.ok);
    const { runs } = JSON.parse(readFileSync(path("malipo.service.json"), "utf8"));
    expect(Object.keys(runs)).toHaveLength(1);
    expect(runs).not.toHaveProperty(first ?? "");
  });

  test.each([
    ["text that is not JSON", "shop"],
    ["JSON that is not a profile", '{"name":"shop"}'],
    ["a profile of another version", '{"version":99}'],
  ])("is left unchanged if it is %s, and nothing is sent", async (_, content) => {
    const service = await lenient();
    const { folder, path } = folderWithKeys();
    writeFileSync(path("malipo.service.json"), content);
    const { code, stderr } = await probe(service.baseUrl, folder);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("left unchanged");
    expect(readFileSync(path("malipo.service.json"), "utf8")).toBe(content);
    expect(service.seen).toEqual([]);
  });

  test("is not replaced if an observer or a proxy has learned something in it", async () => {
    const service = await lenient();
    const { folder, path } = folderWithKeys();
    await probe(service.baseUrl, folder);
    const content = readFileSync(path("malipo.service.json"), "utf8").replace(
      '"probe"',
      '"observer"',
    );
    writeFileSync(path("malipo.service.json"), content);
    const { code, stderr } = await probe(service.baseUrl, folder);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("malipo learn merge");
    expect(readFileSync(path("malipo.service.json"), "utf8")).toBe(content);
  });

  test("cannot be in a folder that does not exist: nothing is sent", async () => {
    const service = await lenient();
    const { folder } = folderWithKeys();
    const { code, stderr } = await probe(service.baseUrl, folder, "--out", "none/a.json");
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("no folder");
    expect(service.seen).toEqual([]);
  });
});

describe("the steps", () => {
  test("name what they learn, and only validate-phone is a POST without a flag", () => {
    const plain = chooseSteps({ write: false, publicKey: "pk_a", keyKind: "sandbox" });
    const posts = plain.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(new Set(posts)).toEqual(new Set(["/mobile-money/validate-phone"]));
    expect(plain.filter(({ method }) => method === "PUT")).toEqual([]);
    for (const { learns } of STEPS) expect(learns).not.toBe("");
  });

  test("start a payment only with --prompt, and only one", () => {
    const starting = STEPS.filter(({ path }) => path.endsWith("/initiate"));
    expect(starting).toHaveLength(1);
    const write = chooseSteps({ write: true, publicKey: "pk_a", keyKind: "sandbox" });
    expect(write.filter(({ path }) => path.endsWith("/initiate"))).toEqual([]);
  });
});
