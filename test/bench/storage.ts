// What storage takes in the source, beside its goals.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { atMost, type Measured } from "./table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const filesIn = (path: string): string[] =>
  statSync(`${root}/${path}`).isFile()
    ? [path]
    : readdirSync(`${root}/${path}`).flatMap((name) => filesIn(`${path}/${name}`));

const linesOf = (paths: readonly string[]): number =>
  paths
    .flatMap(filesIn)
    .reduce((sum, path) => sum + readFileSync(`${root}/${path}`, "utf8").split("\n").length - 1, 0);

const ENGINES = ["sqlite", "postgres", "mysql", "redis"];

/** Stores, ledgers, SQL and openers, without BullMQ. */
const STORAGE = [
  "src/storage",
  ...["sqlite", "postgres", "mysql"].map((name) => `src/engines/${name}.ts`),
  "src/engines/sql-engine.ts",
  "src/engines/engine-life.ts",
  ...["tables", "columns", "sql-store"].map((name) => `src/idempotency/${name}.ts`),
  "src/webhooks/inbox/tables.ts",
  "src/webhooks/inbox/sql",
  ...["tables", "order-steps", "order-store"].map((name) => `src/checkout/orders/${name}.ts`),
];

/** Before there was one room for all engines. */
const LINES_BEFORE = 5_600;

/** A file of an engine that holds nothing of the others. */
const ownFiles = (engine: string): string[] =>
  [`src/engines/${engine}.ts`, `src/storage/${engine}`].flatMap(filesIn);

export function benchStorage(): Measured {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const subpaths = Object.keys(exports).filter((path) =>
    ENGINES.some((engine) => path.split("/").includes(engine)),
  );
  const lines = linesOf(STORAGE);
  const files = ownFiles("mysql");
  return {
    title: "Storage in the source",
    how: "Lines with comments. The files of an engine are those of `malipo/mysql`, which came last.",
    columns: ["what", "found"],
    rows: [
      ["subpaths for storage", subpaths.join(" ")],
      ["lines of stores, ledgers, SQL and openers, without BullMQ", String(lines)],
      ["files of src for a further SQL engine", String(files.length)],
    ],
    bars: [],
    goals: [
      atMost("subpaths for storage", ENGINES.length, subpaths.length, "", 0),
      atMost("lines of src for storage", Math.floor((LINES_BEFORE * 2) / 3), lines, "", 0),
      atMost("files of src for a further SQL engine", 6, files.length, "", 0),
    ],
  };
}
