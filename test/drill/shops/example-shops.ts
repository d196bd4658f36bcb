// How the shops of `examples` and of the manual are drilled.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import {
  parseSettings,
  type RawSettings,
  readDrillFile,
} from "../../../src/drill/drill-settings.ts";
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
  quiet: "60s",
  processes: "2",
  without: "stock,cancel,refund,update,parts",
});

/** Drills an example shop, all cases of it. */
export const drillExample = (start: string, workers = "2"): Promise<DrillResult> =>
  runDrill(parseSettings({ ...exampleSettings(start), workers }), {
    listener: { dryRun: () => {}, progress: () => {}, output: () => {} },
  });

/**
 * The shop that the page on the checkout prints, with its settings for the drill.
 *
 * @param folder - A new folder for the shop.
 */
export function printedShop(folder: string): RawSettings {
  const [shop = ""] = codeBlocks("docs/guides/checkout.md", "ts");
  const [settings = ""] = codeBlocks("docs/guides/checkout.md", "json");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
  symlinkSync(join(process.cwd(), "node_modules/express"), join(folder, "node_modules/express"));
  writeFileSync(join(folder, "shop.mjs"), stripTypeScriptTypes(shop));
  const start = `cd "${resolve(folder)}" && exec "${process.execPath}" shop.mjs`;
  return { ...readDrillFile(settings), start };
}
