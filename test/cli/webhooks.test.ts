import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { EVENT_KINDS } from "../../src/contract/events.ts";
import { verifyWebhook } from "../../src/webhooks/verification/verify-webhook.ts";
import { startReceiver } from "./command-line.ts";
import { malipo } from "./in-process.ts";

const SECRET = "whsec_test";
const ENV = { MALIPO_WEBHOOK_SECRET: SECRET };

/** Responds with the status that the body names (`status 401`), or with 200. */
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let base: string;
beforeAll(async () => {
  receiver = await startReceiver(({ headers, body }, response) => {
    if (body.includes("hang up")) response.socket?.destroy();
    const status = Number(/status (\d+)/.exec(body.toString())?.[1] ?? 200);
    response.writeHead(status, { location: "/elsewhere" });
    response.end(`{"ResultCode":0,"seen":"${headers["content-type"]}"}`);
  });
  base = receiver.url;
});
afterAll(() => receiver.close());

const trigger = (...args: string[]) => malipo(["trigger", ...args], { env: ENV });

describe.concurrent("malipo trigger", () => {
  test.for(EVENT_KINDS)("sends %s, signed", async (kind, { expect }) => {
    const { code, json } = await trigger(kind, "--to", base, "--json");
    expect(code).toBe(EXIT.ok);
    const { body, signature, event, answer } = json();
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining("ResultCode") });
    const sent = receiver.received.find(
      ({ headers }) => headers["x-service-signature"] === signature,
    );
    expect(sent?.body.toString()).toBe(body);
    const { headers = {} } = sent ?? {};
    expect(verifyWebhook({ body, headers, secret: SECRET, maxAgeSeconds: 60 })).toEqual(event);
    expect(event.event).toBe(kind);
  });

  test("sends another payment each time, because receivers drop duplicates", async ({ expect }) => {
    const runs = await Promise.all(
      [1, 2].map(() => trigger("payment.completed", "--to", base, "--json")),
    );
    const [one, other] = runs.map(({ json }) => json().event.data);
    expect(one.reference).not.toBe(other.reference);
    expect(one.payment_id).not.toBe(other.payment_id);
  });

  test("sets fields: text stays text, a number stays a number, := reads JSON", async ({
    expect,
  }) => {
    const { json } = await trigger(
      ...["payment.failed", "--to", base, "--json"],
      ...["--set", "data.amount=250.00", "--set", "data.payment_id=7", "--set", "data.note=1"],
      ...["--set", "data.retry_possible=false", "--set", "data.tags:=[1,2]", "--set", "data.a.b=c"],
    );
    expect(json().event.data).toMatchObject({
      amount: "250.00",
      payment_id: 7,
      note: "1",
      retry_possible: false,
      tags: [1, 2],
      a: { b: "c" },
    });
  });

  test.for([
    ["data.payment_id=seven", "is not valid JSON"],
    ["data.tags:=[", "is not valid JSON"],
    ["amount", "path=text"],
    ["=1", "path=text"],
    ["data.__proto__.x=1", "path=text"],
    ["data..x=1", "path=text"],
  ])("rejects --set %s", async ([setting = "", message = ""], { expect }) => {
    const { code, stderr } = await trigger("payment.failed", "--to", base, "--set", setting);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(message);
  });

  test("sends the eight documented events, and others only with --any", async ({ expect }) => {
    const { code, stderr } = await trigger("payment.complete", "--to", base);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('Did you mean "payment.completed"?');
    expect(stderr).toContain("--any");
    const any = await trigger("payment.refunded", "--any", "--to", base, "--json");
    expect([any.code, any.json().event.event]).toEqual([EXIT.ok, "payment.refunded"]);
  });

  test.for([
    [401, "rejected the signature"],
    [404, "no route"],
    [302, "does not follow redirects (to /elsewhere)"],
    [204, "Only status 200 counts"],
    [500, "failed"],
  ] as const)(
    "fails if the receiver returns %i, and says what it means",
    async (one, { expect }) => {
      const [status, advice] = one;
      const args = ["invoice.paid", "--to", base, "--set", `data.note=status ${status}`];
      const { code, stdout } = await trigger(...args);
      expect(code).toBe(EXIT.failed);
      expect(stdout).toContain(`${status} in`);
      expect(stdout).toContain(advice);
      expect((await trigger(...args, "--json")).json().advice).toContain(advice);
    },
  );

  test("says why the receiver could not be reached", async ({ expect }) => {
    const closed = await startReceiver();
    closed.close();
    const rejected = await trigger("invoice.paid", "--to", closed.url);
    expect(rejected.code).toBe(EXIT.unreachable);
    expect(rejected.stderr).toContain("nothing is listening there (ECONNREFUSED)");
    const reset = await trigger("invoice.paid", "--to", base, "--set", "data.note=hang up");
    expect(reset.code).toBe(EXIT.unreachable);
    expect(reset.stderr).toContain("closed without a response");
    const noTls = await trigger("invoice.paid", "--to", base.replace("http", "https"), "--json");
    expect(noTls.json().error).toMatchObject({ code: "unreachable", exit_code: 3 });
  });

  test("requires a URL and a secret", async ({ expect }) => {
    const [noUrl, odd, noSecret, empty] = await Promise.all([
      trigger("invoice.paid"),
      trigger("invoice.paid", "--to", "ftp://x"),
      malipo(["trigger", "invoice.paid", "--to", base]),
      malipo(["trigger", "invoice.paid", "--to", base, "--secret="], { env: ENV }),
    ]);
    for (const { code } of [noUrl, odd, noSecret, empty]) expect(code).toBe(EXIT.usage);
    expect(noUrl.stderr).toContain("--to is required");
    expect(odd.stderr).toContain('"ftp://x"');
    expect(noSecret.stderr).toContain("MALIPO_WEBHOOK_SECRET");
  });

  test("prints what a receiver sends without letting it control the terminal", async ({
    expect,
  }) => {
    const sly = await startReceiver((_, response) => response.end("\u001b[2Jgone\u0007"));
    const { stdout } = await trigger("invoice.paid", "--to", sly.url);
    expect(stdout).toContain("\\u001b[2Jgone\\u0007");
    expect(stdout).not.toContain("\u001b");
    sly.close();
  });
});

describe.concurrent("the signing secret", () => {
  test("comes from --secret-file, without the line break at its end", async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), "malipo-secret-"));
    const path = join(folder, "secret.txt");
    writeFileSync(path, "whsec_file\n");
    const signed = await malipo(["sign", "-", "--secret-file", path], { input: "{}" });
    const expected = await malipo(["sign", "-"], {
      input: "{}",
      env: { MALIPO_WEBHOOK_SECRET: "whsec_file" },
    });
    expect(signed.stdout).toBe(expected.stdout);
    rmSync(folder, { recursive: true });
  });

  test("must be in the file", async ({ expect }) => {
    const { code, stderr } = await malipo(["sign", "-", "--secret-file", "/dev/null"], {
      env: ENV,
    });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/is empty/);
  });
});
