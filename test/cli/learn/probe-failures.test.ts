import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { formatProfile } from "../../../src/profile/parse-profile.ts";
import { EMPTY_PROFILE } from "../../../src/profile/profile-types.ts";
import { deepBodies } from "../../support/deep-bodies.ts";
import { malipo, startCommand } from "../in-process.ts";
import { newFolder, type Response, startDialect, startLenient, startService } from "./services.ts";

const KEYS = {
  sandbox: "sb_canary_5e1f7c20",
  secret: "sk_canary_77d0aa31",
  public: "pk_canary_93ab04d1",
};
const OLD = formatProfile(EMPTY_PROFILE);

function newKeys() {
  const made = newFolder(KEYS);
  onTestFinished(() => rmSync(made.folder, { recursive: true, force: true }));
  writeFileSync(made.path("malipo.service.json"), OLD);
  return made;
}

/** Runs a probe beside an older profile. */
async function probe(baseUrl: string, ...flags: string[]) {
  const { folder, path } = newKeys();
  const keys = flags.includes("--key-file") ? [] : ["--key-file", "sandbox"];
  const exit = await malipo(["probe", "--base-url", baseUrl, ...keys, ...flags], { cwd: folder });
  return { ...exit, file: () => readFileSync(path("malipo.service.json"), "utf8") };
}

type Failed = Awaited<ReturnType<typeof probe>>;

/** What holds for every probe that failed. */
function expectFailure({ code, stdout, stderr, file }: Failed, exit: number, message: RegExp) {
  expect([code, stderr]).toEqual([exit, expect.stringMatching(message)]);
  expect(file()).toBe(OLD);
  for (const key of Object.values(KEYS)) expect(stdout + stderr).not.toContain(key);
  expect(stderr).not.toMatch(/\n +at /);
}

async function service(respond: Parameters<typeof startService>[0]) {
  const started = await startService(respond);
  onTestFinished(started.close);
  return started;
}

const every = (response: Response) => service(() => response);

describe("a failed probe leaves the file alone, and prints neither key nor stack trace", () => {
  test("nothing listens", async () => {
    const gone = await startService(() => ({ status: 200 }));
    gone.close();
    expectFailure(await probe(gone.baseUrl), EXIT.unreachable, /nothing is listening/);
  });

  test("the host does not exist", async () => {
    const failed = await probe("https://gateway.invalid/v1");
    expectFailure(failed, EXIT.unreachable, /got no response from https:\/\/gateway\.invalid/);
  });

  test("the connection is cut", async () => {
    const { baseUrl } = await service((_, response) => void response.destroy());
    expectFailure(await probe(baseUrl), EXIT.unreachable, /closed without a response/);
  });

  test("a page of HTML", async () => {
    const { baseUrl } = await startDialect("html").then((one) => {
      onTestFinished(one.close);
      return one;
    });
    expectFailure(await probe(baseUrl), EXIT.failed, /does not respond in JSON.*--base-url/);
  });

  test.each(deepBodies("data"))("a body of %s that nests 50,000 levels deep", async (_, body) => {
    const { baseUrl } = await service((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(body);
      return undefined;
    });
    expectFailure(await probe(baseUrl), EXIT.failed, /nests more than 100 levels deep/);
  });

  test("a body with 50,000 names: it stops at once", async () => {
    const names = Array.from({ length: 50_000 }, (_, at) => [`amount_${at}`, at]);
    const { baseUrl, seen } = await every({ status: 200, body: Object.fromEntries(names) });
    expectFailure(await probe(baseUrl), EXIT.failed, /more than 10,000 names/);
    expect(seen).toHaveLength(1);
  });

  test("a redirect: the key is not sent along", async () => {
    const other = await every({ status: 200, body: {} });
    const { baseUrl, seen } = await every({
      status: 301,
      headers: { location: `${other.baseUrl}/merchant?token=secret` },
    });
    const failed = await probe(baseUrl);
    expectFailure(
      failed,
      EXIT.failed,
      /redirects \(301\) to http:\/\/127.0.0.1:\d+\/v1\/merchant\./,
    );
    expect(failed.stderr).not.toContain("token=");
    expect([seen.length, other.seen.length]).toEqual([1, 0]);
  });

  test.each([
    [401, /rejects the key \(401\)/],
    [403, /may read nothing \(403\).*merchant\.read/],
    [404, /none of the documented endpoints.*path prefix/],
    [418, /rejected every read: it returned 418/],
  ])("every read returns %i", async (status, message) => {
    const { baseUrl } = await every({ status, body: { success: false, error: "no" } });
    expectFailure(await probe(baseUrl), EXIT.failed, message);
  });

  test("a storm of 5xx: it stops at the third", async () => {
    const { baseUrl, seen } = await every({ status: 503, body: {} });
    expectFailure(await probe(baseUrl), EXIT.failed, /503 to 3 requests in a row/);
    expect(seen).toHaveLength(3);
  });

  test("a limit that asks to wait for an hour", async () => {
    const { baseUrl, seen } = await every({ status: 429, headers: { "retry-after": "3600" } });
    expectFailure(await probe(baseUrl), EXIT.failed, /asks to wait 3600 s/);
    expect(seen).toHaveLength(1);
  });

  test("Ctrl-C", async () => {
    let stop = () => {};
    const { baseUrl } = await startLenient({
      before: async ({ path }) => {
        if (path === "/webhooks") stop();
        return undefined;
      },
    }).then((one) => {
      onTestFinished(one.close);
      return one;
    });
    const { folder, path } = newKeys();
    const args = ["probe", "--base-url", baseUrl, "--key-file", "sandbox"];
    const { stop: interrupt, ended, output } = startCommand(args, { cwd: folder });
    stop = () => void interrupt("SIGINT");
    expect(await ended).toBe(EXIT.failed);
    expect(output()).toContain("The probe was stopped.\n  malipo.service.json was not written.");
    expect(readFileSync(path("malipo.service.json"), "utf8")).toBe(OLD);
  });

  test.each([
    [["--key-file", "secret"], /secret key \(sk_\).*--live/],
    [["--key-file", "public", "--write"], /public key \(pk_\) may only read.*--write/],
    [["--key-file", "public", "--prompt", "0712345678"], /may only read.*--prompt/],
    [["--key-file", "none"], /no such file/],
    [["--public-key-file", "secret"], /must hold a public key/],
    [["--prompt", "12"], /phone number of 9 to 15 digits/],
    [["--base-url", "ftp://x"], /only once/],
  ])("the flags %j: nothing is sent", async (flags, message) => {
    const { baseUrl, seen } = await every({ status: 200, body: {} });
    expectFailure(await probe(baseUrl, ...flags), EXIT.usage, message);
    expect(seen).toEqual([]);
  });

  test("http on another host: the key would travel unencrypted", async () => {
    expectFailure(await probe("http://gateway.example/v1"), EXIT.usage, /unencrypted/);
  });

  test("with --json, the error is the only document on the standard output", async () => {
    const { baseUrl } = await every({ status: 401, body: {} });
    const { json, code } = await probe(baseUrl, "--json");
    expect(json().error).toMatchObject({ code: "no_reads", exit_code: code });
  });
});

describe("a probe of a difficult service", () => {
  test("waits as Retry-After says, says so, and learns the limit", async () => {
    let limited = 2;
    const { baseUrl, close } = await startLenient({
      before: ({ path }) =>
        path === "/webhooks" && limited-- > 0
          ? { status: 429, body: { error: "slow down" }, headers: { "retry-after": "1" } }
          : undefined,
    });
    onTestFinished(close);
    const { code, stdout, file } = await probe(baseUrl);
    expect(code).toBe(EXIT.ok);
    expect(stdout.match(/limits the rate \(429\)\. The probe waits 1 s\./g)).toHaveLength(2);
    const { rejections } = JSON.parse(file());
    expect(rejections.rate_limit["429"].headers["retry-after"].values).toEqual(["1"]);
  });

  test("with a key without some scopes: a partial profile, and what is missing", async () => {
    const { baseUrl, close } = await startLenient({
      before: ({ path }) =>
        /^\/(payments|invoices)/.test(path)
          ? { status: 403, body: { success: false, error: "scope" } }
          : undefined,
    });
    onTestFinished(close);
    const { code, stdout, file } = await probe(baseUrl);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain(
      "Missing: GET /payments returned 403: the key may lack the scope payments.read.",
    );
    expect(stdout).toContain("Missing: GET /invoices returned 403");
    expect(stdout).toContain(
      "GET /invoices/{unknownInvoice}  left out: the key cannot use /invoices",
    );
    const { rejections, endpoints } = JSON.parse(file());
    expect(rejections.missing_scope["403"].at).toEqual(["GET /invoices", "GET /payments"]);
    expect(Object.keys(endpoints)).not.toContain("GET /payments");
    expect(Object.keys(endpoints)).toContain("GET /webhooks");
  });

  test("with one endpoint that fails, goes on", async () => {
    const { baseUrl, close } = await startLenient({
      before: ({ path }) => (path === "/webhooks" ? { status: 500, body: {} } : undefined),
    });
    onTestFinished(close);
    const { code, stdout } = await probe(baseUrl);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain("Missing: GET /webhooks returned 500.");
  });

  test("with one broken connection, asks again", async () => {
    let broken = 1;
    const { baseUrl, close } = await startLenient({
      before: ({ path }, response) => {
        if (path === "/invoices" && broken-- > 0) response.destroy();
        return undefined;
      },
    });
    onTestFinished(close);
    expect((await probe(baseUrl)).code).toBe(EXIT.ok);
  });

  test("with a secret key and --live, learns", async () => {
    const { baseUrl, close, seen } = await startLenient();
    onTestFinished(close);
    const { code } = await probe(baseUrl, "--key-file", "secret", "--live");
    expect(code).toBe(EXIT.ok);
    expect(new Set(seen.map(({ key }) => key))).toEqual(
      new Set([KEYS.secret, "sk_malipo_probe_unknown", undefined]),
    );
  });

  test("with a public key, only reads", async () => {
    const { baseUrl, close, seen } = await startLenient();
    onTestFinished(close);
    const { code } = await probe(baseUrl, "--key-file", "public");
    expect(code).toBe(EXIT.ok);
    expect(seen.some(({ key }) => key === KEYS.public)).toBe(true);
  });

  test("whose bodies, headers and errors hold the key, prints and writes it nowhere", async () => {
    const key = KEYS.sandbox;
    const forms = [
      key,
      Buffer.from(key).toString("base64"),
      Buffer.from(key).toString("hex"),
      encodeURIComponent(key),
    ];
    const { baseUrl, close } = await startLenient({
      view: (fields, n) => ({ id: n, ...fields, [key]: key, echo: forms, [forms[2] ?? ""]: 1 }),
      wrap: (data) => ({ success: true, data, key, status: key, request: { id: forms } }),
      before: ({ path }, response) => {
        response.setHeader("x-echo", forms.join());
        response.setHeader(`x-${forms[2]}`, "1");
        return path.endsWith("unknown")
          ? { status: 404, body: { success: false, error: key, code: forms } }
          : undefined;
      },
    });
    onTestFinished(close);
    const { code, stdout, stderr, file } = await probe(baseUrl, "--write");
    expect(code).toBe(EXIT.ok);
    for (const form of forms) expect(stdout + stderr + file()).not.toContain(form);
  });

  test("with --prompt, follows one payment to its end, and names no phone", async () => {
    const { service: dialect, baseUrl, close } = await startDialect("plain");
    onTestFinished(close);
    const { folder, path } = newFolder({ key: dialect.keys.sandbox });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const args = ["probe", "--base-url", baseUrl, "--key-file", "key", "--prompt", "0712 345 678"];
    const { ended, output } = startCommand(args, { cwd: folder });
    await expect.poll(output).toContain("Answer the prompt on the phone");
    dialect.answer("254712345678", "cancel");
    expect(await ended).toBe(EXIT.ok);
    const posts = dialect.seen.filter((one) => one.startsWith("POST"));
    expect(posts.filter((one) => one.includes("initiate"))).toHaveLength(1);
    const file = readFileSync(path("malipo.service.json"), "utf8");
    const { endpoints } = JSON.parse(file);
    const values = endpoints["GET /payments/{reference}"]["200"].body["data.status"].values;
    expect(values).toEqual(["failed", "pending"]);
    for (const one of ["0712345678", "254712345678", "345 678"]) {
      expect(output()).not.toContain(one);
      expect(file).not.toContain(one);
    }
  });

  test("stopped while a payment is open, says so", async () => {
    const { service: dialect, baseUrl, close } = await startDialect("plain");
    onTestFinished(close);
    const { folder, path } = newFolder({ key: dialect.keys.sandbox });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const args = ["probe", "--base-url", baseUrl, "--key-file", "key", "--prompt", "0712345678"];
    const { stop: interrupt, prints, output } = startCommand(args, { cwd: folder });
    await prints(/Answer the prompt on the phone/);
    expect(await interrupt("SIGINT")).toBe(EXIT.failed);
    expect(output()).toMatch(/The payment TX\w+ was started, and may still be paid/);
    expect(existsSync(path("malipo.service.json"))).toBe(false);
  });
});
