// How the shops of `examples` and of the manual are drilled.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { SHOP_SETTINGS } from "../../../src/drill/drill-options.ts";
import { parseSettings, type RawSettings } from "../../../src/drill/drill-settings.ts";
import { type DrillResult, runDrill } from "../../../src/drill/run-drill.ts";
import { codeBlocks } from "../../docs/support/blocks.ts";

/** The shops of `examples` show the customer pages, and take forms. */
export const exampleSettings = (start: string): RawSettings => ({
  start,
  order: "POST /orders order={order}&item=Tea&phone={phone}",
  again: "POST /orders order={order}&item=Tea&phone={phone}&after={attempts}",
  status: "GET /orders/{order}",
  effects: "GET /orders/{order} ~ Your parcel is on its way.",
  paid: "Paid. Thank you.",
  failed: "Not paid.",
  open: "Enter your PIN|We are checking|We are sending|We received a payment",
  data: "SHOP_DATA",
  env: ["NOT_SENT_AFTER_MS=20000"],
  quiet: "60s",
  processes: "2",
});

/** Drills an example shop, all cases of it. */
export const drillExample = (start: string, workers = "2"): Promise<DrillResult> =>
  runDrill(parseSettings({ ...exampleSettings(start), workers }), {
    listener: { dryRun: () => {}, progress: () => {}, output: () => {} },
  });

const PAGE = "docs/guides/checkout.md";

/**
 * The shop that the page on the checkout prints, with the settings of the drill command that it prints.
 *
 * @param folder - A new folder for the shop.
 */
export function printedShop(folder: string): RawSettings {
  const [shop = ""] = codeBlocks(PAGE, "ts").filter((code) => code.includes("createCheckout("));
  const [line = ""] = codeBlocks(PAGE, "sh").filter((code) => code.includes("malipo drill"));
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
  symlinkSync(join(process.cwd(), "node_modules/express"), join(folder, "node_modules/express"));
  // The first look of a reader needs no settings: it has one port and one file.
  const code = stripTypeScriptTypes(shop)
    .replace("listen(3000)", "listen(Number(process.env.PORT))")
    .replaceAll('"shop.db"', "`$" + "{process.env.DATA}/shop.db`");
  writeFileSync(join(folder, "shop.mjs"), code);
  const [, command = ""] = line.split("malipo drill");
  const words = execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  const options = Object.fromEntries(
    SHOP_SETTINGS.map(({ name, value, repeatable = false }) => [
      name,
      { type: value === undefined ? "boolean" : "string", multiple: repeatable } as const,
    ]),
  );
  const args = words.split("\0").slice(0, -1);
  const { values } = parseArgs({ args, options });
  const start = `cd "${resolve(folder)}" && exec "${process.execPath}" shop.mjs`;
  return { ...(values as RawSettings), start };
}
