import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { mergeValues } from "../../../src/profile/merge.ts";
import { formatProfile, parseProfile } from "../../../src/profile/parse-profile.ts";
import { ASSUMPTIONS } from "../../../src/sandbox/assumptions.ts";
import { malipo } from "../in-process.ts";
import { newFolder, startDialect, startLenient } from "./services.ts";

// Two probes of one service, and one of another. The tests only read the files.
let folder: string;
let path: (name: string) => string;
let service: Awaited<ReturnType<typeof startDialect>>;

const learn = (...args: string[]) => malipo(["learn", ...args], { cwd: folder });
const read = (name: string) => readFileSync(path(name), "utf8");
const profile = (name: string) => parseProfile(JSON.parse(read(name)));

async function probe(baseUrl: string, key: string, out: string, ...flags: string[]) {
  writeFileSync(path("key"), key);
  const args = ["--base-url", baseUrl, "--key-file", "key", "--out", out, ...flags];
  const { code, stderr } = await malipo(["probe", ...args], { cwd: folder });
  expect([code, stderr]).toEqual([EXIT.ok, ""]);
}

beforeAll(async () => {
  ({ folder, path } = newFolder());
  service = await startDialect("plain");
  const { sandbox } = service.service.keys;
  await probe(service.baseUrl, sandbox, "a.json");
  await probe(service.baseUrl, sandbox, "b.json", "--write");
  const other = await startDialect("nested");
  await probe(other.baseUrl, other.service.keys.sandbox, "other.json", "--write");
  await other.close();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const BAD: readonly (readonly [string, string, RegExp])[] = [
  ["no JSON", "shop", /not valid JSON/],
  ["JSON that is not a profile", '{"name":"shop"}', /not a service profile/],
  ["another version", '{"version":9,"endpoints":{}}', /version 9/],
  ["nonsense", '{"version":2,"runs":7}', /not a service profile/],
];

describe("malipo learn report", () => {
  test("has one entry for each assumption, as text and as JSON", async () => {
    const { code, json } = await learn("report", "b.json", "--json");
    expect(code).toBe(EXIT.ok);
    const entries = json();
    expect(entries.map(({ name }: { name: string }) => name)).toEqual(Object.keys(ASSUMPTIONS));
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(["name", "result", "seen", "assumed", "found"]);
      expect(["confirmed", "contradicted", "unseen"]).toContain(entry.result);
    }
    const { stdout } = await learn("report", "b.json");
    for (const name of Object.keys(ASSUMPTIONS)) expect(stdout).toContain(name);
    for (const { found } of entries) if (found !== null) expect(stdout).toContain(found);
  });

  test("is the list that the probe ended with", async () => {
    const { sandbox } = service.service.keys;
    writeFileSync(path("key"), sandbox);
    const args = ["probe", "--base-url", service.baseUrl, "--key-file", "key", "--out", "c.json"];
    const { stdout } = await malipo(args, { cwd: folder });
    expect(stdout).toContain((await learn("report", "c.json")).stdout.trim());
  });
});

describe("malipo learn types", () => {
  test("writes a declaration file, whole, with the mode 0644", async () => {
    const { code, stdout } = await learn("types", "b.json");
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain("malipo.service.d.ts");
    expect(read("malipo.service.d.ts")).toContain('declare module "malipo"');
    expect(statSync(path("malipo.service.d.ts")).mode & 0o777).toBe(0o644);
    await learn("types", "b.json", "--out", "mine.d.ts");
    expect(read("mine.d.ts")).toBe(read("malipo.service.d.ts"));
    expect((await learn("types", "b.json", "--out", "-")).stdout).toBe(read("mine.d.ts"));
    expect(readdirSync(folder).filter((name) => name.includes("draft"))).toEqual([]);
  });
});

describe("malipo learn diff", () => {
  test("exits with 0 for two runs that saw the same, whatever they counted", async () => {
    const { sandbox } = service.service.keys;
    await probe(service.baseUrl, sandbox, "again.json");
    const { code, json } = await learn("diff", "a.json", "again.json", "--json");
    expect([code, json()]).toEqual([EXIT.ok, { alike: true, differences: [] }]);
    expect((await learn("diff", "a.json", "again.json")).stdout).toContain("say the same");
  });

  test("exits with 1 and names the places that differ", async () => {
    const { code, stdout } = await learn("diff", "b.json", "other.json");
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain("DELETE /invoices/{invoice}");
    const { json } = await learn("diff", "b.json", "other.json", "--json");
    expect(json()).toMatchObject({ alike: false });
    expect(json().differences[0]).toHaveProperty("path");
  });
});

describe("malipo learn merge", () => {
  test("prints the bytes that --out writes, and they are the merge", async () => {
    const expected = formatProfile(mergeValues(profile("a.json"), profile("b.json")));
    const { code, stdout } = await learn("merge", "a.json", "b.json");
    expect([code, stdout]).toEqual([EXIT.ok, expected]);
    expect((await learn("merge", "b.json", "a.json", "--out", "m.json")).code).toBe(EXIT.ok);
    expect(read("m.json")).toBe(expected);
    expect(statSync(path("m.json")).mode & 0o777).toBe(0o644);
  });

  test("of a profile with itself, or with one that holds it, changes no byte", async () => {
    expect((await learn("merge", "a.json", "a.json")).stdout).toBe(read("a.json"));
    await learn("merge", "a.json", "b.json", "--out", "ab.json");
    expect((await learn("merge", "ab.json", "b.json")).stdout).toBe(read("ab.json"));
  });

  test("tells two services apart, and writes nothing", async () => {
    const { code, stderr } = await learn("merge", "b.json", "other.json", "--out", "no.json");
    expect(code).toBe(EXIT.failed);
    expect(stderr).toMatch(/were not merged, and nothing was written: they differ in \d+ places/);
    expect(readdirSync(folder)).not.toContain("no.json");
  });
});

describe("malipo learn openapi", () => {
  test("prints a document with the URL of the service, and with what was learned", async () => {
    const { code, json } = await learn("openapi", "b.json", "--base-url", "https://a.example/v1");
    expect(code).toBe(EXIT.ok);
    expect(json().openapi).toMatch(/^3\.1/);
    expect(json().servers[0].url).toBe("https://a.example/v1");
    expect(Object.keys(json().paths["/invoices/{invoice}"].delete.responses)).toContain("204");
  });
});

describe("malipo learn check", () => {
  test("exits with 0 if the service does what the profile says", async () => {
    writeFileSync(path("key"), service.service.keys.sandbox);
    const flags = ["--base-url", service.baseUrl, "--key-file", "key"];
    for (const against of ["a.json", "b.json"]) {
      const { code, json, stderr } = await learn("check", "--against", against, ...flags, "--json");
      expect([code, json()]).toEqual([EXIT.ok, { alike: true, differences: [] }]);
      expect(stderr).toContain("It creates nothing");
    }
  });

  test("exits with 1 and says what changed", async () => {
    const changed = await startDialect("arrays");
    writeFileSync(path("key"), changed.service.keys.sandbox);
    const flags = ["--base-url", changed.baseUrl, "--key-file", "key"];
    const { code, stdout } = await learn("check", "--against", "b.json", ...flags);
    await changed.close();
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain("The service differs from b.json");
    expect(stdout).toMatch(/\n {2}was /);
    expect(changed.service.seen.filter((one) => /^(?:PUT|POST) (?!.*validate)/.test(one))).toEqual(
      [],
    );
  });

  test("compares two files without asking the service", async () => {
    expect((await learn("check", "a.json", "--against", "b.json")).code).toBe(EXIT.ok);
    expect((await learn("check", "other.json", "--against", "b.json")).code).toBe(EXIT.failed);
  });

  test("does not take a dead service for a change", async () => {
    const gone = await startLenient();
    gone.close();
    const flags = ["--base-url", gone.baseUrl, "--key-file", "key"];
    const { code } = await learn("check", "--against", "a.json", ...flags);
    expect(code).toBe(EXIT.unreachable);
  });

  test("requires --against", async () => {
    const { code, stderr } = await learn("check");
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("--against is required")]);
  });
});

describe.each(BAD)("a file that is %s", (_, content, message) => {
  test.each([
    ["report", ["bad.json"]],
    ["types", ["bad.json", "--out", "bad.d.ts"]],
    ["diff", ["a.json", "bad.json"]],
    ["merge", ["bad.json", "a.json", "--out", "bad-out.json"]],
    ["openapi", ["bad.json"]],
    ["check", ["a.json", "--against", "bad.json"]],
  ])("is rejected by %s: nothing is written", async (subcommand, args) => {
    writeFileSync(path("bad.json"), content);
    const { code, stdout, stderr } = await learn(subcommand, ...args);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(read("bad.json")).toBe(content);
    expect(readdirSync(folder)).not.toContain("bad.d.ts");
    expect(readdirSync(folder)).not.toContain("bad-out.json");
  });
});

test("a file that does not exist is named", async () => {
  const { code, stderr } = await learn("report", "none.json");
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("no file none.json")]);
});
