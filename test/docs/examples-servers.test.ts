import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paidFor, runExample, SECRET } from "./support/example.ts";

const BUNDLES = "test/docs/bundles";
const NEST = join(BUNDLES, "nest.mjs");

const SERVERS: [name: string, args: string[], large: number, end: number | NodeJS.Signals][] = [
  ["express", ["examples/webhooks/express.ts"], 200, 0],
  ["fastify", ["examples/webhooks/fastify.ts"], 200, 0],
  // Nest sends itself the signal again when everything is closed.
  ["nest", [NEST], 413, "SIGTERM"],
];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "malipo-examples-"));
  mkdirSync(BUNDLES, { recursive: true });
  // Type stripping does not compile decorators; Nest's own compiler does.
  await build({
    entryPoints: ["examples/webhooks/nest.ts"],
    ...{ bundle: true, packages: "external", platform: "node", format: "esm", outfile: NEST },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(NEST); // other tests have bundles there too
});

describe.each(SERVERS)("the example of a receiver on %s", (name, args, large, end) => {
  test("acknowledges what it has stored, ships once, and recognises duplicates after a kill -9", async () => {
    const SHOP_DB = join(folder, `${name}.db`);
    const first = await runExample(args, { SHOP_DB });
    expect(await first.get()).toBe(405);
    expect(await first.deliver(paidFor("ORDER-42"), {})).toEqual([401, "signature missing"]);
    expect(await first.deliver(paidFor("ORDER-42"))).toEqual([200, "received"]);
    await expect.poll(first.printed).toMatch(/ship ORDER-42 [\da-f]{64}\n/);
    expect(await first.deliver(paidFor("ORDER-42"))).toEqual([200, "received before"]);
    expect(first.printed()).not.toContain(SECRET);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");

    const second = await runExample(args, { SHOP_DB });
    expect(await second.deliver(paidFor("ORDER-42"))).toEqual([200, "received before"]);
    expect(await second.deliver(paidFor("ORDER-43"))).toEqual([200, "received"]);
    await expect.poll(second.printed).toMatch(/ship ORDER-43/);
    expect(second.printed()).not.toContain("ORDER-42");
    // The table of the page says which frameworks have a limit below that of the receiver.
    const body = paidFor(`LARGE-${"x".repeat(400_000)}`);
    expect(await second.post(body)).toBe(large);
    expect(await second.post(paidFor(`LARGE-${"x".repeat(40_000)}`))).toBe(200);
    expect(await second.end("SIGTERM")).toBe(end);
    expect(first.printed().match(/ship/g)).toHaveLength(1);
  });
});
