import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { Bench } from "../../src/drill/bench.ts";
import { parseSettings } from "../../src/drill/drill-settings.ts";
import { node } from "./shops/drill-shop.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-environment-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REAL = {
  MALIPO_API_KEY: "sk_of_the_real_service",
  MALIPO_BASE_URL: "https://gateway.example/api/v1",
  MALIPO_WEBHOOK_SECRET: "secret of the real service",
  DATA: "/var/lib/real-shop",
};

test("a shop gets its own environment, and the key, the URL, the secret and the data of the drill in the place of real ones", async () => {
  const file = join(folder, "shop.mjs");
  writeFileSync(
    file,
    'import { createServer } from "node:http";\nconsole.log(JSON.stringify(process.env));\ncreateServer().listen(Number(process.env.PORT));\n',
  );
  for (const [name, value] of Object.entries(REAL)) vi.stubEnv(name, value);
  vi.stubEnv("STOCK_OF_THE_SHOP", "12");
  const env = ["MALIPO_API_KEY=sk_of_a_flag", "ORDERS_PER_MINUTE=100"];
  const settings = parseSettings({ start: node(file), order: "POST /orders", env });
  let printed = "";
  const bench = new Bench(settings, true, (text) => {
    printed += text;
  });
  try {
    await bench.open();
    await expect.poll(() => printed).toContain("\n");
  } finally {
    await bench.close();
    vi.unstubAllEnvs();
  }
  const { sandbox } = bench;
  expect(JSON.parse(printed)).toMatchObject({
    STOCK_OF_THE_SHOP: "12",
    ORDERS_PER_MINUTE: "100",
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
    MALIPO_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
  });
  for (const value of [...Object.values(REAL), "sk_of_a_flag"])
    expect(printed).not.toContain(value);
});
