import { setupServer } from "msw/node";
import { describe, expect, test } from "vitest";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { EMPTY_PROFILE as EMPTY } from "../../../src/profile/profile-types.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { gatewayHandlers } from "../../../src/sandbox/msw.ts";
import { dialect } from "../../support/dialects/index.ts";
import { learnFile as learn } from "./learn.ts";

const EMPTY_PROFILE = encodeProfile(EMPTY);
const profile = await learn(dialect("offset"));

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Creates an invoice and reads a list, at an address. */
async function transcript(fetch: Fetch, baseUrl: string, key: string) {
  const headers = { "x-api-key": key };
  const body = JSON.stringify({ amount: 25, description: "Goods" });
  const created = await fetch(`${baseUrl}/invoices`, { method: "POST", headers, body });
  const list = await fetch(`${baseUrl}/invoices?limit=5`, { headers });
  const missing = await fetch(`${baseUrl}/invoices/none`, { headers });
  const responses = [created, list, missing];
  return Promise.all(responses.map(async (one) => [one.status, await one.text()]));
}

describe("createSandbox({ profile })", () => {
  const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
    ["a text", "malipo.service.json", /`profile` is not a service profile/],
    ["an object without a version", {}, /`profile` is not a service profile/],
    ["another version", { ...EMPTY_PROFILE, version: 1 }, /has the version 1; .* reads version 2/],
    ["null", null, /`profile` is not a service profile/],
    ["nonsense", { ...EMPTY_PROFILE, endpoints: { "GET /x": 5 } }, /at "endpoints"/],
  ];
  test.each(WRONG)("rejects %s, and says what is wrong", (_name, wrong, message) => {
    const create = () => createSandbox({ profile: wrong as never });
    expect(create).toThrow(expect.objectContaining({ code: "configuration" }));
    expect(create).toThrow(message);
  });

  test("a profile of nothing changes nothing", async () => {
    const [one, other] = [createSandbox(), createSandbox({ profile: EMPTY_PROFILE })];
    expect(await transcript(other.fetch, other.baseUrl, other.keys.secret)).toEqual(
      await transcript(one.fetch, one.baseUrl, one.keys.secret),
    );
  });

  test("the same seed makes up the same values, another seed others", async () => {
    const seeds = ["a", "a", "b"];
    const [first, same, other] = await Promise.all(
      seeds.map((seed) => {
        const { fetch, baseUrl, keys } = createSandbox({ profile, seed });
        return transcript(fetch, baseUrl, keys.secret);
      }),
    );
    expect(same).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test("responds in the same way in process, served and through msw", async () => {
    const inProcess = createSandbox({ profile });
    const expected = await transcript(inProcess.fetch, inProcess.baseUrl, inProcess.keys.secret);
    const served = createSandbox({ profile });
    const server = await served.serve({ port: 0 });
    expect(await transcript(fetch, server.baseUrl, served.keys.secret)).toEqual(expected);
    await server.close();
    const mocked = createSandbox({ profile });
    const msw = setupServer(...gatewayHandlers(mocked));
    msw.listen();
    expect(await transcript(fetch, mocked.baseUrl, mocked.keys.secret)).toEqual(expected);
    msw.close();
  });

  test("a snapshot goes on in another sandbox with the profile", async () => {
    const one = createSandbox({ profile });
    await transcript(one.fetch, one.baseUrl, one.keys.secret);
    const other = createSandbox({ profile, seed: "other" });
    other.restore(JSON.parse(JSON.stringify(one.snapshot())));
    const read = ({ fetch, baseUrl, keys }: typeof one) =>
      fetch(`${baseUrl}/invoices`, { headers: { "x-api-key": keys.secret } }).then((r) => r.json());
    const { result } = await read(one);
    expect(result).toHaveLength(1);
    // Values that are made up depend on the seed; what happened does not.
    expect((await read(other)).result[0]).toMatchObject({ uuid: result[0].uuid, amount: "25.00" });
    const path = `${other.baseUrl}/invoices/${result[0].uuid}`;
    const found = await other.fetch(path, { headers: { "x-api-key": other.keys.secret } });
    expect(found.status).toBe(200);
  });

  test("a webhook returns the secret that signs the deliveries", async () => {
    const hal = createSandbox({ profile: await learn(dialect("hal")) });
    const response = await hal.fetch(`${hal.baseUrl}/webhooks/register`, {
      method: "POST",
      headers: { "x-api-key": hal.keys.secret },
      body: JSON.stringify({
        name: "shop",
        url: "https://shop.example/hooks",
        events: ["payment.completed"],
      }),
    });
    const { signingSecret } = await response.json();
    expect(signingSecret).toBe(hal.webhookSecret);
    expect(signingSecret).toMatch(/^[\da-f]{40}$/);
  });

  test("the page and its forms work, whatever the responses look like", async () => {
    const sandbox = createSandbox({ profile: await learn(dialect("always-200")) });
    const { url, close } = await sandbox.serve({ port: 0 });
    const post = (path: string, fields: Record<string, string>) =>
      fetch(`${url}/_sandbox/${path}`, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { origin: url },
        redirect: "manual",
      });
    await post("webhooks/register", { url: "http://127.0.0.1:9/hooks" });
    await post("pay", { amount: "100", phone: "0712345678" });
    const page = await (await fetch(url)).text();
    expect(page).toContain("Speaks like your service");
    expect(page).toContain("http://127.0.0.1:9/hooks");
    expect(sandbox.phone("0712345678").prompt?.amount).toBe("100.00");
    await close();
  });
});
