import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type GoodsFault, goodsCases } from "../../../src/drill/goods-cases.ts";
import { installedMalipo } from "../../cli/command-line.ts";
import { sharedMysql, sharedPostgres } from "../../support/engines/shared.ts";
import { shopFolder } from "../shops/drill-shop.ts";
import {
  mysqlModule,
  postgresModule,
  RIGHT_ELSEWHERE,
  RIGHT_IN_TRANSACTION,
  RIGHT_ON_A_SERVER,
  sqliteModule,
  UNTESTED,
  unknownConnectionModule,
  WRONG_MODULES,
} from "./goods-modules.ts";

const { folder, remove } = shopFolder();
for (const name of ["pg", "mysql2"]) {
  symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
}
afterAll(remove);

const postgres = await sharedPostgres();
const mysql = await sharedMysql();

let modules = 0;
function write(code: string): string {
  const name = `goods-${++modules}.mjs`;
  writeFileSync(join(folder, name), code);
  return name;
}

async function drill(code: string, ...flags: string[]) {
  const args = ["drill", "--goods", write(code), ...flags];
  const {
    code: status,
    json,
    stderr,
  } = await installedMalipo([...args, "--json"], { cwd: folder });
  expect(stderr).toBe("");
  return { status, ...json() };
}

const isWhole = process.env.DRILL === "all";
const numberOf = (kind: GoodsFault) => goodsCases(1).find((one) => one.kind === kind)?.number ?? 0;

/** The cases from one to another, or all with `DRILL=all`. */
const some = (from: GoodsFault, to: GoodsFault) =>
  isWhole ? [] : ["--case", `${numberOf(from)}-${numberOf(to)}`];

describe.concurrent("malipo drill --goods", () => {
  test("finds nothing wrong with an onPaid that writes in the transaction", async () => {
    const result = await drill(RIGHT_IN_TRANSACTION);
    expect(result).toMatchObject({ status: 0, failed: 0, could_not_test: [] });
    expect(result.passed).toBeGreaterThanOrEqual(12);
  });

  test("finds nothing wrong with an onPaid that writes elsewhere, under a key that is there once", async () => {
    const result = await drill(RIGHT_ELSEWHERE, ...some("throws", "stop"));
    expect(result).toMatchObject({ status: 0, failed: 0, could_not_test: [] });
    expect(result.passed).toBeGreaterThanOrEqual(5);
  });

  test.skipIf(postgres === undefined)(
    "finds nothing wrong with a right onPaid on PostgreSQL",
    async () => {
      const result = await drill(
        postgresModule(postgres?.url ?? "", "right_goods", RIGHT_ON_A_SERVER),
      );
      expect(result).toMatchObject({ status: 0, failed: 0, not_run: 0, could_not_test: [] });
    },
  );

  test.skipIf(mysql === undefined)(
    "finds nothing wrong with a right onPaid on MariaDB",
    async () => {
      const code = mysqlModule(mysql?.url ?? "", RIGHT_ON_A_SERVER);
      const result = await drill(code, ...some("statement", "throws"));
      expect(result).toMatchObject({ status: 0, failed: 0, not_run: 0, could_not_test: [] });
    },
  );

  test.skipIf(postgres === undefined)(
    "finds an onPaid whose goods stay if the connection is lost",
    async () => {
      const onPaid = `export const onPaid = async (order, { transaction }) => {
        await give(pool, order.id);
        await transaction((client) => client.query("SELECT 1"));
      };`;
      const code = postgresModule(postgres?.url ?? "", "lost", onPaid);
      const result = await drill(code, "--case", `${numberOf("connection")}`);
      expect([result.status, JSON.stringify(result.promises)]).toEqual([
        1,
        expect.stringMatching(/the customer has the goods 2 times/),
      ]);
    },
  );

  test.skipIf(postgres === undefined)(
    "does not pass an onPaid whose connection is of an unknown kind, unless it is told what to leave out",
    async () => {
      const code = unknownConnectionModule(postgres?.url ?? "", "unknown_kind");
      const first = `${numberOf("none")}`;
      const asked = (["statement", "connection"] as const).map(numberOf).sort((a, b) => a - b);
      const cases = ["--case", asked.join("-")];
      expect(await drill(code, ...cases)).toMatchObject({
        status: 2,
        failed: 0,
        not_tried: [
          "a statement that fails (--without statements)",
          "a lost connection (--without connection)",
        ],
      });
      const without = ["--without", "statements,connection"];
      expect(await drill(code, "--case", first, ...without)).toMatchObject({ status: 0 });
      expect(await drill(code, ...cases, ...without)).toMatchObject({ status: 0, not_tried: [] });
    },
  );

  test.for(WRONG_MODULES)("finds an onPaid that $name", async ({ code, found, wrong }) => {
    const number = numberOf(found);
    const { status, promises, could_not_test } = await drill(code, "--case", `${number}`);
    expect([status, could_not_test]).toEqual([1, []]);
    const broken = promises.filter(({ state }: { state: string }) => state === "FAILED");
    const stories = broken.flatMap((one: { stories: string[][] }) => one.stories.flat()).join("\n");
    expect(stories).toMatch(wrong);
    expect(broken[0].cases).toEqual([number]);
    expect(stories).toMatch(/Usual cause: \S.*\n {2}again: npx malipo drill --goods goods-/);
  });

  test.for(Object.entries(UNTESTED))(
    "cannot test a module that %s, and says why",
    async ([, [code, says]]) => {
      const { status, could_not_test } = await drill(code);
      expect([status, could_not_test.join("\n")]).toEqual([2, expect.stringMatching(says)]);
    },
  );

  test("lists its cases, and takes no flag of a whole shop", async () => {
    const malipo = (...flags: string[]) =>
      installedMalipo(["drill", "--goods", "goods.mjs", ...flags], { cwd: folder });
    const listed = await malipo("--list");
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringContaining("13  The process stops as onPaid begins"),
    ]);
    for (const flags of [["--order", "POST /orders"], ["--continue"], ["--only", "pairs"]]) {
      expect(await malipo(...flags)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${flags[0]} is about a whole shop`),
      });
    }
  });

  test("prints the promises as text, and writes the page and the JUnit results", async () => {
    const name = write(
      sqliteModule("export const onPaid = async (order) => { give(own, order.id); };"),
    );
    const flags = ["--case", `${numberOf("throws")}`, "--junit", "g.xml", "--report", "g.html"];
    const { code, stdout } = await installedMalipo(["drill", "--goods", name, ...flags], {
      cwd: folder,
    });
    expect(code).toBe(1);
    expect(stdout).toContain("1 customer got the goods twice: case");
    expect(stdout).toContain("FAILED  a paid order gives its goods once");
    expect(readFileSync(join(folder, "g.xml"), "utf8")).toContain("The goods of paid orders");
    expect(readFileSync(join(folder, "g.html"), "utf8")).toContain(
      "a paid order gives its goods once",
    );
  });
});
