// How the small shops of this folder are drilled: orders are JSON, and shipments are a number.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allCases, isOfProcess } from "../../../src/drill/cases.ts";
import { exitStatus, promiseResults } from "../../../src/drill/drill-results.ts";
import { parseSettings, type RawSettings } from "../../../src/drill/drill-settings.ts";
import { type DrillOptions, type DrillResult, runDrill } from "../../../src/drill/run-drill.ts";
import { type BrokenShop, breakShop } from "./broken-shops.ts";

const listener = { dryRun: () => {}, progress: () => {}, output: () => {} };

export const SETTINGS = {
  order: 'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}"}',
  again: "POST /orders/{order}/again",
  status: "GET /orders/{order}",
  effects: "GET /orders/{order} /shipped",
  slow: "3s",
  // Most of these shops only sell.
  without: "stock,cancel,refund,update,parts",
  workers: "1",
};

/** What the right shop has beside: something of which there is one piece, and routes for orders. */
export const ALL_ROUTES = {
  "last-piece":
    'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}","item":"last"}',
  cancel: "POST /orders/{order}/cancel",
  refund: "POST /orders/{order}/refund",
  update: 'PUT /orders/{order} {"amount":{amount}}',
  "part-payments": true,
};

/** @param cases - The numbers of the cases; without them, all cases. */
export function drillShop(
  raw: RawSettings,
  numbers?: readonly number[],
  options: Partial<DrillOptions> = {},
): Promise<DrillResult> {
  const cases = numbers && allCases().filter(({ number }) => numbers.includes(number));
  // A shop that takes other orders has all settings of its own.
  const settings = raw.order === undefined ? { ...SETTINGS, ...raw } : raw;
  return runDrill(parseSettings(settings), { cases, listener, ...options });
}

/** The first item of each kind. */
export function oneForEach<Item>(items: readonly Item[], kindOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(kindOf(item)) && seen.add(kindOf(item)));
}

/** Each act of people with each kind of fault once, apart from a service that is away for long. */
export const someCases = () =>
  oneForEach(allCases(), ({ act, faults: [fault] }) => `${act} ${fault?.kind}`).filter(
    ({ faults: [fault] }) => fault?.kind !== "away",
  );

/**
 * Those of them in which one library can differ from another: what people do, and processes that die or stop. The other
 * faults meet the client and the receiver, which are the same. With `DRILL=all`, each of them.
 */
export const someCasesOfLibraries = () =>
  someCases().filter(
    ({ act, faults: [fault] }) =>
      process.env.DRILL === "all" || act !== undefined || fault === undefined || isOfProcess(fault),
  );

/** The names of the promises that a shop broke. */
export const brokenPromises = (result: DrillResult): string[] =>
  promiseResults(result).flatMap(({ name, state }) => (state === "FAILED" ? [name] : []));

/** The command that runs a file with this Node.js. */
export const node = (file: string): string => `"${process.execPath}" ${file}`;

/** A folder for shops that import malipo. */
export function shopFolder() {
  const folder = mkdtempSync(join(tmpdir(), "malipo-shops-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
  return {
    folder,
    /** Writes a shop. Returns the command that starts it. */
    write: (name: string, code: string): string => {
      const file = join(folder, `${name.replaceAll(" ", "-")}.mjs`);
      writeFileSync(file, stripTypeScriptTypes(code));
      return node(file);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How often a drill that decides nothing is run. */
const MAX_DRILLS = 5;

/**
 * Drills a broken shop with the cases that show what is wrong with it. On a busy machine, a drill may say that it could
 * not test the shop, and that it is to be run again: so it is.
 */
export async function drillBroken(
  { write }: ReturnType<typeof shopFolder>,
  shop: BrokenShop,
): Promise<DrillResult> {
  const { processes = "1" } = shop;
  const start = write(shop.name, breakShop(shop));
  for (let drills = 1; ; drills++) {
    const raw = { start, quiet: "2s", processes, ...ALL_ROUTES };
    const result = await drillShop(raw, shop.cases);
    if (exitStatus(result) !== 2 || drills === MAX_DRILLS) return result;
  }
}
