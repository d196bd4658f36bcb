import { describe, expect, test } from "vitest";
import {
  findRepeatedNames,
  findStaleLayers,
  findWrongImports,
} from "../../scripts/check-layers.ts";

const LAYERS = [
  { path: "low", imports: [], packages: [] },
  { path: "high", imports: ["low"], packages: ["zod/mini"] },
];

const findings = (sources: Record<string, string>) =>
  findWrongImports(new Map(Object.entries(sources)), LAYERS);

describe("the check of the layers", () => {
  test("finds nothing in imports that go down", () => {
    const sources = {
      "low/a.ts": 'import { readFileSync } from "node:fs";',
      "high/b.ts": 'import { a } from "../low/a.ts"; import { z } from "zod/mini";',
    };
    expect(findings(sources)).toEqual([]);
  });

  test.each([
    ["a value", 'import { b } from "../high/b.ts";'],
    ["a type", 'import type { B } from "../high/b.ts";'],
    ["what is exported again", 'export { b } from "../high/b.ts";'],
    ["what is loaded later", 'const load = () => import("../high/b.ts");'],
  ])("finds an import that goes up, of %s", (_, text) => {
    expect(findings({ "low/a.ts": text, "high/b.ts": "" })).toEqual([
      "src/low/a.ts imports high/b.ts, which its layer (low) may not.",
    ]);
  });

  test("finds a package that the layer may not import", () => {
    expect(findings({ "low/a.ts": 'import ky from "ky";' })).toEqual([
      "src/low/a.ts imports ky, which its layer (low) may not.",
    ]);
  });

  test("finds a file that is in no layer", () => {
    expect(findings({ "other/a.ts": 'import "node:fs";' })).toEqual([
      "src/other/a.ts is in no layer of scripts/layers.ts.",
    ]);
  });

  test("finds a layer whose folder is gone", () => {
    expect(findStaleLayers(["low/a.ts", "higher/b.ts"], LAYERS)).toEqual([
      "scripts/layers.ts has a row for src/high, which is gone.",
    ]);
  });

  test("finds folders that import each other, with the imports that do it", () => {
    const sources = {
      "low/one/a.ts": 'import "../two/b.ts";',
      "low/two/b.ts": 'import type { C } from "../three.ts";',
      "low/three.ts": 'import "./one/d.ts";',
      "low/one/d.ts": "",
    };
    expect(findings(sources)).toEqual([
      [
        "In src/low, a circle: one -> two -> three.ts -> one",
        "    low/one/a.ts imports low/two/b.ts",
        "    low/two/b.ts imports low/three.ts",
        "    low/three.ts imports low/one/d.ts",
      ].join("\n"),
    ]);
  });
});

describe("the check of the names of files", () => {
  const repeated = (...paths: string[]) => findRepeatedNames(paths);

  test("finds a name that occurs in folders that are not siblings", () => {
    expect(repeated("client/lists.ts", "webhooks/inbox/lists.ts", "client/call.ts")).toEqual([
      "The name lists occurs in src/client, src/webhooks/inbox.",
    ]);
    expect(repeated("inbox/store.ts", "inbox/sqlite/store.ts")).toHaveLength(1);
    expect(repeated("page/main.ts", "cli/commands/main.tsx")).toHaveLength(1);
  });

  test("finds nothing in a name that sibling folders share, in an index, and in the tables of stores", () => {
    expect(repeated("inbox/sqlite/store.ts", "inbox/redis/store.ts")).toEqual([]);
    expect(repeated("index.ts", "cli/commands/index.ts")).toEqual([]);
    expect(repeated("checkout/orders/tables.ts", "webhooks/inbox/tables.ts")).toEqual([]);
  });
});
