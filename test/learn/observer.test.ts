import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DriftView, Gateway } from "malipo";
import { createObserver } from "malipo/learn";
import { createSandbox } from "malipo/sandbox";
import { createWebhookReceiver, signWebhook } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { decodeProfile } from "../../src/profile/file-format.ts";
import { total } from "../../src/profile/merge.ts";
import { memoryInbox } from "../../src/webhooks/inbox/memory/inbox.ts";

const SECRET = "whsec_test";

async function temporaryFile(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), "malipo-learn-")), "malipo.service.json");
}

function shop(observer = createObserver()) {
  const sandbox = createSandbox({ auto: "approve" });
  const { baseUrl, fetch, keys } = sandbox;
  return {
    sandbox,
    observer,
    gateway: new Gateway({ apiKey: keys.secret, baseUrl, fetch, observer }),
  };
}

describe("an observer of a gateway", () => {
  test("learns the shapes of responses and of rejections", async () => {
    const { gateway, observer } = shop();
    await gateway.merchant.get();
    await gateway.mobileMoney.initiate({ amount: 10, phone: "0712345678" });
    await gateway.payments.list({ per_page: 1 });
    await expect(gateway.payments.get("PAY-NO_BODY")).rejects.toThrow();
    const { endpoints, rejections, keys, lists } = decodeProfile(observer.profile());
    expect(endpoints["GET /merchant"]?.["200"]?.body["data.name"]?.formats).toEqual(["text"]);
    expect(endpoints["GET /payments"]?.["200"]?.body["data[].status"]?.values).toEqual(["pending"]);
    expect(Object.keys(rejections.unknown_id ?? {})).toEqual(["404"]);
    expect(Object.keys(keys.secret ?? {})).toContain("GET /merchant");
    expect(lists["GET /payments"]?.parameters?.per_page?.works).toBeDefined();
  });

  test("never fails a call, whatever it does itself", async () => {
    const { sandbox } = shop();
    const observer = {
      observeExchange: () => {
        throw new Error("broken");
      },
    };
    const { baseUrl, fetch, keys } = sandbox;
    const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, observer });
    await expect(gateway.merchant.get()).resolves.toMatchObject({ name: "Duka la Mfano" });
  });

  test("keeps what it has not analysed within bounds", async () => {
    const { observer } = shop();
    const response = new Response("", { status: 200 });
    const text = JSON.stringify({ data: { name: "x".repeat(100_000) } });
    const exchange = {
      method: "GET",
      url: "https://a.example/merchant",
      baseUrl: "https://a.example",
    };
    for (let count = 0; count < 1_000; count++) {
      observer.observeExchange({ ...exchange, key: "secret", hasBody: false, response, text });
    }
    const seen = total(decodeProfile(observer.profile()).endpoints["GET /merchant"]?.["200"]?.seen);
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(50);
  });
});

describe("an observer of a receiver", () => {
  const body = JSON.stringify({
    event: "payment.completed",
    timestamp: "2026-01-01T09:00:00+03:00",
    data: { reference: "PAY-1", fee: "1.00" },
  });
  const delivery = {
    method: "POST",
    body,
    headers: {
      "x-service-signature": `sha256=${signWebhook(body, SECRET)}`,
      "x-service-timestamp": "1767250800",
      "x-forwarded-for": "10.0.0.1",
    },
  };

  test("learns payloads, headers, the prefix, and after which status a delivery comes again", async () => {
    const observer = createObserver();
    const inbox = memoryInbox();
    let isDown = true;
    const receiver = createWebhookReceiver({
      secret: SECRET,
      observer,
      onError: () => {},
      inbox: {
        ...inbox,
        accept: async (one) => {
          if (isDown) throw new Error("down");
          return inbox.accept(one);
        },
      },
    });
    expect((await receiver.handle(delivery)).status).toBe(503);
    isDown = false;
    expect((await receiver.handle(delivery)).status).toBe(200);
    const { events, deliveries } = decodeProfile(observer.profile());
    expect(events["payment.completed"]?.body["data.fee"]?.formats).toEqual(["decimal2"]);
    expect(Object.keys(deliveries.headers)).toEqual(["x-service-signature", "x-service-timestamp"]);
    expect(Object.keys(deliveries.signaturePrefixes)).toEqual(["sha256="]);
    expect(Object.keys(deliveries.redeliveries["1"]?.after ?? {})).toEqual(["503"]);
  });

  test("learns nothing from a delivery whose signature is wrong", async () => {
    const observer = createObserver();
    const receiver = createWebhookReceiver({ secret: "another", observer, onError: () => {} });
    expect((await receiver.handle(delivery)).status).toBe(401);
    expect(decodeProfile(observer.profile()).events).toEqual({});
  });
});

describe("the file of an observer", () => {
  test("is written whole, with mode 0644, and holds the same bytes for the same profile", async () => {
    const file = await temporaryFile();
    const { gateway, observer } = shop(createObserver({ file }));
    await gateway.merchant.get();
    await Promise.all([observer.save(), observer.save()]);
    const written = await readFile(file, "utf8");
    expect((await stat(file)).mode & 0o777).toBe(0o644);
    expect(await readdir(join(file, ".."))).toEqual(["malipo.service.json"]);
    await createObserver({ file }).save();
    expect(JSON.parse(await readFile(file, "utf8")).endpoints).toEqual(
      JSON.parse(written).endpoints,
    );
  });

  test("has one run, however often the process starts again", async () => {
    const file = await temporaryFile();
    for (let start = 0; start < 3; start++) {
      const { gateway, observer } = shop(createObserver({ file }));
      await gateway.merchant.get();
      await observer.save();
    }
    const { runs } = JSON.parse(await readFile(file, "utf8"));
    expect(Object.values(runs)).toEqual([
      { by: ["observer"], counts: expect.any(Array), deliveries: 0, requests: 3 },
    ]);
  });

  test("keeps what another process wrote meanwhile", async () => {
    const file = await temporaryFile();
    const [one, two] = [shop(createObserver({ file })), shop(createObserver({ file }))];
    await one.gateway.merchant.get();
    await two.gateway.invoices.list();
    await one.observer.save();
    await two.observer.save();
    const { endpoints } = JSON.parse(await readFile(file, "utf8"));
    expect(Object.keys(endpoints)).toEqual(["GET /invoices", "GET /merchant"]);
  });

  test.each([
    ["of another version", '{"version":9}', "has the version 9"],
    ["that is not a profile", '{"name":"shop"}', "is not a service profile"],
    ["that is not JSON", "version: 1", "is not valid JSON"],
  ])("%s is reported and left unchanged", async (_, text, message) => {
    const file = await temporaryFile();
    await writeFile(file, text);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    createObserver({ file });
    expect(String(warn.mock.calls[0]?.[0])).toContain(message);
    warn.mockRestore();
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("that cannot be written is reported, and no draft is left", async () => {
    const file = join(await temporaryFile(), "missing", "profile.json");
    await expect(createObserver({ file }).save()).rejects.toThrow(`${file} cannot be written`);
    await expect(createObserver().save()).rejects.toThrow("This observer has no file.");
  });
});

describe("a gateway with a profile", () => {
  async function drifting(change: (data: Record<string, unknown>) => void) {
    const { gateway, observer, sandbox } = shop();
    const { reference } = await gateway.mobileMoney.initiate({ amount: 10, phone: "0712345678" });
    await gateway.payments.get(reference);
    const drifts: DriftView[] = [];
    const changed = new Gateway({
      apiKey: sandbox.keys.secret,
      baseUrl: sandbox.baseUrl,
      profile: JSON.parse(JSON.stringify(observer.profile())),
      hooks: { drift: (view) => drifts.push(view) },
      fetch: async (url, init) => {
        const body = (await (await sandbox.fetch(url, init)).json()) as {
          data: Record<string, unknown>;
        };
        change(body.data);
        return Response.json(body);
      },
    });
    await changed.payments.get(reference);
    return drifts;
  }
  const endpoint = "GET /payments/{reference}";

  test("reports nothing if the service is as learned, or has a new field", async () => {
    expect(await drifting((data) => Object.assign(data, { fee: "1.00" }))).toEqual([]);
  });

  test("reports a field that vanished", async () => {
    expect(await drifting((data) => delete data.phone)).toEqual([
      { endpoint, path: "data.phone", expected: "string", received: "nothing" },
    ]);
  });

  test("reports a type that changed", async () => {
    const drifts = await drifting((data) => Object.assign(data, { phone: null }));
    expect(drifts).toContainEqual({
      endpoint,
      path: "data.phone",
      expected: "string",
      received: "null",
    });
  });

  test("reports a status that was never seen", async () => {
    expect(await drifting((data) => Object.assign(data, { status: "reversed" }))).toEqual([
      { endpoint, path: "data.status", expected: '"pending"', received: '"reversed"' },
    ]);
  });

  test.each([
    [{ version: 9 }, "has the version 9"],
    [{}, "must be a service profile"],
    ["x", "must be a service profile"],
  ])("rejects %j", (profile, message) => {
    const options = { apiKey: "sk_test_x", baseUrl: "https://a.example", profile } as never;
    expect(() => new Gateway(options)).toThrow(message);
  });
});
