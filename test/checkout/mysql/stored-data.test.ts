import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mysql } from "../../../src/engines/mysql.ts";
import { mysqlStage, schemaOf } from "../../storage/mysql/mysql-stage.ts";
import { expectToGoOn } from "../../suites/checkout-stored-data.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";

const STORED = new URL("./stored-data/", import.meta.url).pathname;
const FORMATS = readdirSync(STORED).sort((a, b) => Number(a) - Number(b));
const engine = await sharedMysql();
const { newDatabase, loaded, poolOf } = mysqlStage(engine);

/** A database with the data of a format, as the version that wrote it left it. */
const load = (format: string) => loaded(`${STORED}${format}/shop.sql`);

describe.skipIf(engine === undefined)("orders in MariaDB", () => {
  test.each(FORMATS)("of format %s are read and go on", async (format) => {
    await expectToGoOn(mysqlCheckout(await load(format)));
  });

  test("of the last format, once they are opened, are in the tables that this version makes", async () => {
    const pools = [poolOf(await newDatabase()), await load(FORMATS.at(-1) ?? "")] as const;
    for (const pool of pools) await mysql(pool).open();
    expect(await schemaOf(pools[1])).toEqual(await schemaOf(pools[0]));
  });
});
