import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Gateway } from "malipo";
import { postgres } from "malipo/postgres";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { tooOld } from "../../src/storage/postgres/postgres-errors.ts";
import {
  type BadEngine,
  checkoutOn,
  isRefusedByCommands,
  PASSWORD,
  rejectsAtStart,
} from "../suites/bad-start.ts";
import { receiverOn, until } from "../suites/inbox-stage.ts";
import { startEngine } from "../support/engines/engine.ts";
import { postgresRecipe } from "../support/engines/postgres.ts";
import { closeProxies, proxyTo } from "../support/engines/proxy.ts";

// Its own, since it has rules of access. Its certificate is its own, too.
const HBA = `hostssl all tls_only 127.0.0.1/32 trust
host all guarded 127.0.0.1/32 scram-sha-256
host all tls_only,outside 127.0.0.1/32 reject
host all all 127.0.0.1/32 trust
`;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const recipe = process.env.DATABASE_URL ? undefined : postgresRecipe();

/** @param hasTls - Whether it takes TLS. */
const start = async (hasTls: boolean) =>
  recipe &&
  startEngine({
    ...recipe,
    prepare: async (folder) => {
      await recipe.prepare?.(folder);
      const data = join(folder, "data");
      writeFileSync(join(data, "pg_hba.conf"), HBA);
      if (!hasTls) return;
      const [key, certificate] = [join(data, "server.key"), join(data, "server.crt")];
      const request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" ");
      execFileSync("openssl", [...request, "-keyout", key, "-out", certificate], {
        stdio: "ignore",
      });
      for (const file of [key, certificate]) {
        chmodSync(file, 0o600);
        if (recipe.user) chownSync(file, recipe.user.uid, recipe.user.gid);
      }
      writeFileSync(join(data, "postgresql.auto.conf"), "ssl = on\n");
    },
  });

const engine = await start(false);
const withTls = hasOpenssl ? await start(true) : undefined;
const admin = new pg.Pool({ connectionString: engine?.url, allowExitOnIdle: true });
admin.on("error", () => {});
afterAll(async () => {
  await admin.end();
  await engine?.stop();
  await withTls?.stop();
});

/** An address of the server. */
function at(
  user: string,
  { password = PASSWORD, database = "postgres", query = "", on = engine } = {},
): string {
  const url = new URL(on?.url ?? "");
  Object.assign(url, { username: user, password, pathname: database, search: query });
  return url.href;
}
const engineAt = (source: string | pg.Pool, options: object = {}) =>
  postgres(source as string, options) as unknown as BadEngine;

let databases = 0;
/** A database of its own, and a role that may do with it what it is granted. */
async function grantedDatabase() {
  const database = `shop_${++databases}`;
  const role = `role_${databases}`;
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.query(`CREATE ROLE ${role} LOGIN`);
  const own = new pg.Client(at("malipo", { database }));
  own.on("error", () => {});
  await own.connect();
  const run = async (...all: readonly string[]) => {
    for (const sql of all) await own.query(sql);
  };
  return { database, role, url: at(role, { database }), run, end: () => own.end() };
}

describe.skipIf(engine === undefined)("a start on PostgreSQL", () => {
  closeProxies();

  test("rejects a wrong password, and none", async () => {
    await admin.query("CREATE ROLE guarded LOGIN PASSWORD 'right'");
    const says =
      /postgres cannot use this database \(.+\)\. PostgreSQL rejects the password of this role, or got none\. Correct the role and the password in the address\./;
    await rejectsAtStart(() => engineAt(at("guarded")), says);
    await rejectsAtStart(() => engineAt(at("guarded", { password: "" })), says);
    await isRefusedByCommands(at("guarded"), says);
  });

  test("rejects a role that is not there, or may not come from here", async () => {
    await admin.query("CREATE ROLE outside LOGIN");
    const says =
      /postgres cannot use this database \(.+\)\. PostgreSQL does not let this role in from here\. .+ add \?sslmode=verify-full to the address\. .+ pg_hba\.conf admit it\./;
    for (const role of ["nobody_here", "outside"]) {
      await rejectsAtStart(() => engineAt(at(role)), says);
      await isRefusedByCommands(at(role), says);
    }
  });

  test("rejects a database that is not there, and an address that is no URL", async () => {
    const none = at("malipo", { database: "nowhere" });
    const says =
      /postgres cannot use this database \(database "nowhere" does not exist\)\. There is no such database\. Run CREATE DATABASE, or correct the name at the end of the address\./;
    await rejectsAtStart(() => engineAt(none), says);
    await isRefusedByCommands(none, says);
    const broken = `postgres://shop:${PASSWORD}@[localhost/shop`;
    const isNoUrl =
      /postgres cannot use this database \(Invalid URL\)\. The address is not a URL\. .+ encodeURIComponent\(password\)\./;
    await rejectsAtStart(() => engineAt(broken), isNoUrl);
    await isRefusedByCommands(broken, isNoUrl);
  });

  test("rejects TLS that the server does not take", async () => {
    const url = at("malipo", { query: "sslmode=verify-full" });
    const says =
      /postgres cannot use this database \(The server does not support SSL connections\)\. This server does not take TLS\. .+ ssl = on\./;
    await rejectsAtStart(() => engineAt(url), says);
    await isRefusedByCommands(url, says);
  });

  test.skipIf(withTls === undefined)(
    "rejects a connection without TLS, and a certificate that nobody signed",
    async () => {
      const pool = new pg.Pool({ connectionString: withTls?.url });
      await pool.query("CREATE ROLE tls_only LOGIN; GRANT CREATE ON DATABASE postgres TO tls_only");
      await pool.end();
      const plain = at("tls_only", { on: withTls });
      const needsTls =
        /postgres cannot use this database \(.+ no encryption\)\. .+ add \?sslmode=verify-full to the address\. .+/;
      await rejectsAtStart(() => engineAt(plain), needsTls);
      await isRefusedByCommands(plain, needsTls);
      const unknown = at("tls_only", { on: withTls, query: "sslmode=verify-full" });
      const isUnknown =
        /postgres cannot use this database \(self-signed certificate.*\)\. Node does not trust the certificate of this server\. .+/;
      await rejectsAtStart(() => engineAt(unknown), isUnknown);
      await isRefusedByCommands(unknown, isUnknown);
      await engineAt(at("tls_only", { on: withTls, query: "sslmode=no-verify" })).open();
    },
  );

  test("rejects each missing right, and works when the SQL of its message was run", async () => {
    const { database, role, url, run, end } = await grantedDatabase();
    const make = () => engineAt(url);
    const sqlIn = async (before: string) => {
      const db = make();
      const error = await db.open().then(
        () => undefined,
        (one: unknown) => one as Error,
      );
      await db.close();
      const [, sql] = error?.message.split(before) ?? [];
      return (sql ?? "").replace(/\. Or .*|\.$/, "").split("; ");
    };
    await run(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
    const connect =
      /postgres cannot use this database \(permission denied for database .+\)\. This role lacks a right\. .+ GRANT CONNECT, CREATE ON DATABASE the_database TO the_role\./;
    await rejectsAtStart(make, connect);
    await isRefusedByCommands(url, connect);
    await run(`GRANT CONNECT ON DATABASE ${database} TO ${role}`);

    await rejectsAtStart(
      make,
      new RegExp(
        `postgres cannot make or read the tables of .+ \\(permission denied for database ${database}\\)\\. The role ${role} lacks the right to make tables\\. Run as the owner: GRANT CREATE ON DATABASE ${database} TO ${role}\\. Or have another role run the SQL that db\\.sql\\(\\) prints, and then: GRANT USAGE ON SCHEMA malipo_checkout TO ${role}; .+`,
      ),
    );
    await run("CREATE SCHEMA malipo_checkout");
    await rejectsAtStart(
      make,
      /postgres cannot make .+ lacks the right to make tables\. Run as the owner: GRANT USAGE, CREATE ON SCHEMA malipo_checkout TO .+/,
    );
    const inSchema = engineAt(url);
    expect(
      (await (inSchema as unknown as { check(): Promise<string[]> }).check()).join(),
    ).toContain("GRANT USAGE, CREATE ON SCHEMA malipo_checkout");
    await inSchema.close();

    // Another role makes the tables.
    await run(postgres(url).sql());
    await rejectsAtStart(
      make,
      /postgres.+ lacks rights in the schema malipo_checkout: USAGE\. Run as the owner: GRANT .+/,
    );
    await isRefusedByCommands(
      url,
      /postgres: .+ lacks rights in the schema malipo_checkout: USAGE\. .+GRANT /,
    );
    await run(`GRANT USAGE ON SCHEMA malipo_checkout TO ${role}`);
    await run(`GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA malipo_checkout TO ${role}`);
    await rejectsAtStart(
      make,
      /postgres: .+ lacks rights in the schema malipo_checkout: DELETE\. Run as the owner: .+/,
    );
    await run(...(await sqlIn("Run as the owner: ")));
    await make().open();

    for (const meta of ["meta", "inbox_meta", "idempotency_meta"]) {
      await run(`UPDATE malipo_checkout.${meta} SET value = '999'`);
    }
    await rejectsAtStart(make, /.*have format 999.+A newer version has written them.+/);
    await end();
  });

  test("works when the SQL that lets the role make the tables was run", async () => {
    for (const schema of [false, true]) {
      const { database, role, url, run, end } = await grantedDatabase();
      if (schema) await run("CREATE SCHEMA malipo_checkout");
      await run(
        schema
          ? `GRANT USAGE, CREATE ON SCHEMA malipo_checkout TO ${role}`
          : `GRANT CREATE ON DATABASE ${database} TO ${role}`,
      );
      const db = engineAt(url);
      await db.open();
      await db.close();
      await end();
    }
  });

  test("goes on without connections that are left, and on a server that takes no writes", async () => {
    const { role, url, run, end } = await grantedDatabase();
    await run(postgres(url).sql(), `GRANT USAGE ON SCHEMA malipo_checkout TO ${role}`);
    await run(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA malipo_checkout TO ${role}`,
    );
    await run(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    const db = engineAt(url);
    const receiver = receiverOn(db.inbox());
    const reported: unknown[] = [];
    const checkout = checkoutOn(db, (error) => reported.push(error));
    await Promise.all([receiver.start(), checkout.start()]);
    const full = expect.stringMatching(
      /too many connections.+Raise `max_connections`.+lower `max` of the pools/,
    );
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      isEngineAway: true,
      message: full,
    });
    expect(reported[0]).toMatchObject({ isEngineAway: true, message: full });
    expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
    await run(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    await until(async () => (await receiver.post("PAY-1"))[0] === 200);
    await checkout.create({ id: "A", amount: 1, phone: "0712345678" } as never);
    await Promise.all([receiver.stop(), checkout.stop()]);
    await db.close();
    await end();
  });

  test("goes on while the server is away, and works when it is back", async () => {
    if (engine === undefined) return;
    const { database } = await grantedDatabase();
    const proxy = await proxyTo({ ...engine, url: at("malipo", { database }) });
    await proxy.cut();
    const db = engineAt(proxy.url);
    const reported: unknown[] = [];
    const checkout = checkoutOn(db, (error) => reported.push(error));
    await checkout.start();
    expect(reported.length).toBeGreaterThan(0);
    await proxy.restore();
    await until(() =>
      checkout.create({ id: "A", amount: 1, phone: "0712345678" } as never).then(
        () => true,
        () => false,
      ),
    );
    await checkout.stop();
    await db.close();
  });

  test("rejects wake-ups on a pool of one connection, which they would keep", () => {
    const pool = new pg.Pool({ connectionString: at("malipo"), max: 1 });
    const db = postgres(pool);
    expect(
      () => new Gateway({ apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:1/api", wakeups: db }),
    ).toThrow(
      /^postgres: the pool has one connection, .+ Set `max` of the pool to 2 or more, or pass `listenPool`\.$/,
    );
    expect(() => postgres(pool, { listenPool: new pg.Pool() }).wakeups()).not.toThrow();
    expect(() => postgres(at("malipo")).wakeups()).not.toThrow();
  });

  test("rejects a schema whose name PostgreSQL would cut off, so that two become one", () => {
    const long = "s".repeat(63);
    engineAt(at("malipo"), { schema: long });
    expect(() => engineAt(at("malipo"), { schema: `${long}2` })).toThrow(
      /two names could become one\. Use a shorter name\.$/,
    );
  });
});

test("a PostgreSQL that is too old is refused", () => {
  expect(tooOld("9.6.24")).toBe("This is PostgreSQL 9.6.24. Use PostgreSQL 10 or later.");
  for (const version of ["10.0", "14.9 (Debian 14.9-1)", "18.4"])
    expect(tooOld(version)).toBeUndefined();
});
