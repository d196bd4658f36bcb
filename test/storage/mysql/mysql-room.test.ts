import type mysql from "mysql2/promise";
import { describe } from "vitest";
import { storageRoomSuite } from "../../suites/storage-room.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlStage, roomOn, transactOn } from "./mysql-stage.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

const stage = (options: mysql.PoolOptions, hasTransact: boolean) => async () => {
  const url = await newDatabase();
  const pool = poolOf(url);
  const transact = hasTransact ? transactOn(pool) : undefined;
  return {
    isAsync: true,
    open: () => roomOn(poolOf(url, { connectionLimit: 3, ...options }), { transact }),
    write: (connection: unknown, sql: string) => (connection as mysql.Connection).query(sql),
    run: (sql: string) => pool.query(sql),
  };
};

/** A pool whose options change what its queries return. */
const ODD: mysql.PoolOptions = {
  flags: ["-FOUND_ROWS"],
  rowsAsArray: true,
  namedPlaceholders: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  typeCast: () => "odd",
};

describe.skipIf(engine === undefined)("a pool", () => storageRoomSuite(stage({}, false)));
describe.skipIf(engine === undefined)("a pool with odd options", () =>
  storageRoomSuite(stage(ODD, false)),
);
describe.skipIf(engine === undefined)("a transact of the user", () =>
  storageRoomSuite(stage({}, true)),
);
