import { execFileSync, spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { mysql } from "malipo/mysql";
import client from "mysql2/promise";
import { afterAll, describe, expect, test } from "vitest";
import { type BadEngine, checkoutOn, PASSWORD, rejectsAtStart } from "../suites/bad-start.ts";
import { receiverOn, until } from "../suites/inbox-stage.ts";
import { type Recipe, startEngine } from "../support/engines/engine.ts";
import { mysqlRecipe } from "../support/engines/mysql.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
// Its own, since it has users and settings of its own.
const recipe = process.env.MYSQL_URL ? undefined : mysqlRecipe();

/** A server that takes nothing without TLS. Its certificate is its own. */
const withTlsOnly = ({ prepare, command, ...rest }: Recipe): Recipe => ({
  ...rest,
  prepare: async (folder) => {
    await prepare?.(folder);
    const files = [join(folder, "server.key"), join(folder, "server.crt")] as const;
    const request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" ");
    execFileSync("openssl", [...request, "-keyout", files[0], "-out", files[1]], {
      stdio: "ignore",
    });
    for (const file of files) if (rest.user) chownSync(file, rest.user.uid, rest.user.gid);
  },
  command: (folder, port) => [
    ...command(folder, port),
    `--ssl-key=${join(folder, "server.key")}`,
    `--ssl-cert=${join(folder, "server.crt")}`,
    "--require-secure-transport=ON",
  ],
});

const engine = recipe && (await startEngine(recipe));
const withTls = recipe && hasOpenssl ? await startEngine(withTlsOnly(recipe)) : undefined;
const admin = client.createPool({ uri: engine?.url ?? "mysql://localhost" });
admin.on("connection", (one) => one.on("error", () => {}));
afterAll(async () => {
  await admin.end();
  await engine?.stop();
  await withTls?.stop();
});

/** An address of the server. */
function at(user: string, { password = PASSWORD, database = "", query = "", on = engine } = {}) {
  const url = new URL(on?.url ?? "");
  Object.assign(url, { username: user, password, pathname: database, search: query });
  return url.href;
}
const engineAt = (source: string): BadEngine => mysql(source) as unknown as BadEngine;

let databases = 0;
/** A database, and a user who may do with it what he is granted. */
async function newShop() {
  const database = `shop_${++databases}`;
  const user = `user_${databases}`;
  const account = `'${user}'@'localhost'`;
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.query(`CREATE USER ${account} IDENTIFIED BY '${PASSWORD}'`);
  const asRoot = at("root", { password: "", database });
  return { database, account, url: at(user, { database }), asRoot };
}

describe.skipIf(engine === undefined)("a start on MariaDB", () => {
  test("rejects a wrong password, a database that is not there, and an address that is no URL", async () => {
    const { url, asRoot } = await newShop();
    const wrong = new URL(url);
    wrong.password = `${PASSWORD}2`;
    await rejectsAtStart(
      () => engineAt(wrong.href),
      /mysql cannot use this database \(Access denied for user .+\)\. The server rejects this user, its password, or a connection without TLS\. Correct the user and the password in the address, or add .+/,
    );
    await rejectsAtStart(
      () => engineAt(asRoot.replace(/shop_\d+/, "nowhere")),
      /mysql cannot use this database \(Unknown database 'nowhere'\)\. This database does not exist\. Create it with CREATE DATABASE, or correct the name at the end of the address\./,
    );
    let error: unknown;
    try {
      engineAt(`mysql://shop:${PASSWORD}@[localhost/shop`);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "configuration" });
    expect(String(error)).toMatch(
      /The address is not a URL\. .+ encodeURIComponent\(password\)\.$/,
    );
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  });

  test("rejects TLS that the server does not take", async () => {
    const query = 'ssl={"rejectUnauthorized":true}';
    await rejectsAtStart(
      () => engineAt(at("root", { password: "", database: "test", query })),
      /mysql cannot use this database \(Server does not support secure connection\)\. This server does not take TLS\. .+/,
    );
  });

  test.skipIf(withTls === undefined)(
    "rejects a connection without TLS, and a certificate that nobody signed",
    async () => {
      const root = { password: "", database: "test", on: withTls };
      await rejectsAtStart(
        () => engineAt(at("root", root)),
        /mysql cannot use this database .+ or a connection without TLS\. .+ add \?ssl=.+/,
      );
      await rejectsAtStart(
        () => engineAt(at("root", { ...root, query: 'ssl={"rejectUnauthorized":true}' })),
        /mysql cannot use this database \(self-signed certificate.+\)\. Node does not trust the certificate of this server\. .+/,
      );
      const trusting = engineAt(at("root", { ...root, query: 'ssl={"rejectUnauthorized":false}' }));
      await trusting.open();
      await trusting.close();
    },
  );

  test("rejects each missing right, and works when the SQL of its message was run", async () => {
    const { database, account, url, asRoot } = await newShop();
    const make = () => engineAt(url);
    const found = async () => {
      const db = mysql(url);
      const problems = await db.check();
      await db.close();
      return [...new Set(problems.map((one) => one.replace(/(?<=tables of ).+? \(/, "... (")))];
    };
    await rejectsAtStart(
      make,
      /mysql cannot use this database \(Access denied for user .+ to database .+\)\. This user lacks a right\. Run as an administrator: GRANT CREATE, .+/,
    );
    await admin.query(`GRANT SELECT ON ${database}.* TO ${account}`);
    const grant = `GRANT CREATE, INDEX, ALTER, SELECT, INSERT, UPDATE, DELETE ON \`${database}\`.* TO ${account}`;
    await rejectsAtStart(
      make,
      new RegExp(
        `mysql cannot make or read the tables of .+ \\(CREATE command denied .+\\)\\. Run as an administrator: ${grant.replaceAll(/[.*]/g, "\\$&")}\\. Or run the SQL that db\\.sql\\(\\) prints as another user, .+`,
      ),
    );
    expect(await found()).toEqual([
      `mysql: The user ${account} lacks the right to make tables. Run as an administrator: ${grant}. Or run the SQL that db.sql() prints as another user, and grant this one SELECT, INSERT, UPDATE and DELETE.`,
    ]);
    // Another user makes the tables.
    const owner = engineAt(asRoot);
    await owner.open();
    await rejectsAtStart(
      make,
      /mysql cannot make or read the tables of .+ \(UPDATE command denied .+/,
    );
    await admin.query(`GRANT INSERT, UPDATE ON ${database}.* TO ${account}`);
    await rejectsAtStart(
      make,
      /mysql cannot make or read the tables of .+ \(DELETE command denied .+/,
    );
    expect(await found()).toContainEqual(
      expect.stringMatching(/^mysql cannot use the tables of .+ \(DELETE command denied .+GRANT /),
    );
    await admin.query(`GRANT DELETE ON ${database}.* TO ${account}`);
    expect(await found()).toEqual([]);
    const granted = make();
    await granted.open();
    await granted.close();
    for (const part of ["checkout", "inbox", "idempotency"]) {
      await admin.query(`UPDATE ${database}.malipo_${part}_meta SET value = '999'`);
    }
    await rejectsAtStart(make, /.*have format 999.+A newer version has written them.+/);
    await owner.close();
  });

  test("works when the SQL that lets the user make the tables was run", async () => {
    const { database, account, url } = await newShop();
    await admin.query(
      `GRANT CREATE, INDEX, ALTER, SELECT, INSERT, UPDATE, DELETE ON ${database}.* TO ${account}`,
    );
    const db = engineAt(url);
    await db.open();
    await db.close();
  });

  test("goes on without connections that are left", async () => {
    const { database, account, url } = await newShop();
    await admin.query(`GRANT ALL ON ${database}.* TO ${account} WITH MAX_USER_CONNECTIONS 1`);
    const only = await client.createConnection(url);
    const db = engineAt(url);
    const receiver = receiverOn(db.inbox());
    const reported: unknown[] = [];
    const checkout = checkoutOn(db, (error) => reported.push(error));
    await Promise.all([receiver.start(), checkout.start()]);
    const full = expect.stringMatching(
      /max_user_connections.+lower `connectionLimit` of the pools/,
    );
    const away = { isEngineAway: true, message: full };
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject(away);
    expect(reported[0]).toMatchObject(away);
    expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
    await admin.query(`GRANT USAGE ON *.* TO ${account} WITH MAX_USER_CONNECTIONS 0`);
    await only.end();
    await until(async () => (await receiver.post("PAY-1"))[0] === 200);
    await Promise.all([receiver.stop(), checkout.stop()]);
    await db.close();
  });

  test("goes on on a server that is read-only, until it takes writes", async () => {
    const { database, account, url, asRoot } = await newShop();
    await admin.query(`GRANT ALL ON ${database}.* TO ${account}`);
    const owner = engineAt(asRoot);
    await owner.open();
    await owner.close();
    await admin.query("SET GLOBAL read_only = 1");
    const db = engineAt(url);
    const receiver = receiverOn(db.inbox());
    await receiver.start();
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      isEngineAway: true,
      message: expect.stringContaining("This server is read-only."),
    });
    await admin.query("SET GLOBAL read_only = 0");
    await until(async () => (await receiver.post("PAY-1"))[0] === 200);
    await receiver.stop();
    await db.close();
  });
});
