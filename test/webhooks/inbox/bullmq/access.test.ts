import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis, type RedisOptions } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../../src/drill/child.ts";
import { redis } from "../../../../src/engines/redis.ts";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import { receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { hasRedisServer, launchRedis } from "../../../support/engines/redis.ts";

// A Redis with a user of few rights, and one that speaks only TLS.

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 5_000 };
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const isHere = hasRedisServer("a Redis with TLS and users") && hasOpenssl;

/** Uses all of an inbox. Resolves with the errors outside of the handlers. */
async function useAll(connection: RedisOptions): Promise<string[]> {
  const receiver = receiverOn(bullmqInbox({ connection, pace, queue: "malipo-webhooks" }), {
    onUnhandled: () => {},
  });
  const { deadLetters, conflicts, post, stats } = receiver;
  const seen: unknown[] = [];
  let isPoison = true;
  receiver.on("payment.completed", ({ data: { reference, amount } }) => {
    if (reference === "PAY-2" && isPoison) throw new Error("no stock");
    seen.push(`${reference} ${amount}`);
  });
  await receiver.start();
  for (const [reference, amount] of [
    ["PAY-1", "1.00"],
    ["PAY-1", "2.00"],
    ["PAY-1", "3.00"],
    ["PAY-2", "1.00"],
  ] as const) {
    expect((await post(reference, amount))[0]).toBe(200);
  }
  await until(async () => (await deadLetters.list()).length === 1 && seen.length === 1);
  isPoison = false;
  await deadLetters.requeue((await deadLetters.list()).map(({ id }) => id));
  const [one, other] = await conflicts.list();
  await conflicts.requeue(one?.id ?? "");
  await conflicts.drop(other?.id ?? "");
  await until(() => seen.length === 3);
  await until(async () => (await stats()).running === 0);
  await receiver.stop();
  const next = receiverOn(bullmqInbox({ connection, pace, queue: "malipo-webhooks" }), {
    onUnhandled: () => {},
  });
  next.on("invoice.paid", () => {});
  await next.post("PAY-3");
  await next.start();
  await until(async () => (await next.stats()).unhandled === 1);
  await next.stop();
  const errors = [...receiver.onError.mock.calls, ...next.onError.mock.calls].map(
    ([error]) => error,
  );
  return errors.map(String).filter((text) => !text.includes("no stock"));
}

/** What keys and wake-ups ask of a Redis. */
async function useKeysAndWakeups(url: string): Promise<void> {
  const db = redis(url);
  const store = db.idempotency();
  const begin = (owner: string) =>
    store.begin(`E ${owner}`, {
      ...{ parameters: "p", owner, leaseMs: 60_000, endpoint: "E", idempotencyKey: owner },
      baseUrl: "http://127.0.0.1:9/v1",
    });
  for (const owner of ["a", "b", "c"]) await begin(owner);
  await store.finish("E a", "a", { state: "succeeded", result: "{}" });
  await store.finish("E b", "b", { state: "unknown" });
  await store.forget("E c", "c");
  expect((await store.list()).attempts).toHaveLength(2);
  await store.resolve("E b", "{}", "b");
  const other = redis(url);
  let isAwake = false;
  db.wakeups().wake("PAY-1", () => {
    isAwake = true;
  });
  await until(async () => {
    other.wakeups().notify("PAY-1");
    return isAwake;
  });
  await Promise.all([db.close(), other.close()]);
}

describe.skipIf(!isHere)("bullmqInbox", () => {
  stopAll();
  let engine: Engine;
  let secure: Engine;
  let tlsPort = 0;
  const folder = mkdtempSync(join(tmpdir(), "malipo-tls-"));
  const file = (name: string) => join(folder, name);

  function openssl(...args: readonly string[]) {
    const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }

  beforeAll(async () => {
    engine = await launchRedis();
    const days = ["-days", "2", "-nodes"];
    const key = ["-newkey", "rsa:2048", "-keyout"];
    openssl(
      "req",
      "-x509",
      ...days,
      ...key,
      file("ca.key"),
      "-out",
      file("ca.crt"),
      "-subj",
      "/CN=ca",
    );
    // biome-ignore format: an option and its value a line
    openssl("req", "-x509", ...days, ...key, file("redis.key"), "-out", file("redis.crt"),
      "-subj", "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost",
      "-CA", file("ca.crt"),
      "-CAkey", file("ca.key"),
    );
    tlsPort = await freePort();
    // biome-ignore format: an option and its value a line
    secure = await launchRedis(
      "--tls-port", `${tlsPort}`,
      "--tls-cert-file", file("redis.crt"),
      "--tls-key-file", file("redis.key"),
      "--tls-ca-cert-file", file("ca.crt"),
      "--tls-auth-clients", "no",
    );
  });
  afterAll(async () => {
    await Promise.all([engine?.stop(), secure?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  test("does all by TLS, and does not accept an unknown certificate", async () => {
    const ca = readFileSync(file("ca.crt"));
    const connection = { host: "localhost", port: tlsPort };
    expect(await useAll({ ...connection, tls: { ca } })).toEqual([]);
    const receiver = receiverOn(bullmqInbox({ connection: { ...connection, tls: {} }, pace }));
    expect(await receiver.post("PAY-9")).toEqual([503, "cannot be stored now"]);
  });

  test("does all as a user with only the rights that its page lists", async () => {
    const page = readFileSync(
      fileURLToPath(new URL("../../../../docs/operations/redis.md", import.meta.url)),
      "utf8",
    );
    const [, rights = ""] = /ACL SETUSER malipo on (.+?)```/s.exec(page) ?? [];
    const admin = new Redis(engine.url);
    await admin.call("ACL", "SETUSER", "malipo", "on", ...rights.split(/[\s\\]+/).filter(Boolean));
    const { port } = new URL(engine.url);
    const connection = { host: "127.0.0.1", port: Number(port), username: "malipo" };
    expect(await useAll({ ...connection, password: "secret" })).toEqual([]);
    await useKeysAndWakeups(`redis://malipo:secret@127.0.0.1:${port}`);
    const log = (await admin.call("ACL", "LOG")) as unknown[][];
    const denied = log.map((entry) => entry[entry.indexOf("object") + 1]);
    // They are read if the user may read them, and not needed.
    expect(
      denied.filter((name) => !["config|get", "client|setinfo"].includes(name as string)),
    ).toEqual([]);
    admin.disconnect();
  });
});
