import { inspect } from "node:util";
import { Redis } from "ioredis";
import { Gateway } from "malipo";
import { redis } from "malipo/redis";
import { afterAll, describe, expect, test } from "vitest";
import { PASSWORD } from "../suites/bad-start.ts";
import { receiverOn, stopAll, until } from "../suites/inbox-stage.ts";
import { hasRedisServer, launchRedis } from "../support/engines/redis.ts";

// Its own, since it has a password and users.
const isHere = hasRedisServer("a Redis with a password");
const engine = isHere ? await launchRedis("--requirepass", "the right one") : undefined;
const { port = "" } = engine === undefined ? {} : new URL(engine.url);
const admin = new Redis({ port: Number(port), password: "the right one", lazyConnect: true });
afterAll(async () => {
  admin.disconnect();
  await engine?.stop();
});

const at = (user: string): string => `redis://${user}127.0.0.1:${port}`;
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What every start and every use of a Redis that can never work says. @param says - In one line. */
async function rejectsAtStart(url: string, says: RegExp, opens = false): Promise<void> {
  const rejected = {
    code: "configuration",
    message: expect.stringMatching(new RegExp(`^${says.source}$`)),
  };
  const db = redis(url, { onWarning: () => {} });
  const opened = await failure(db.open());
  if (opens) expect(opened).toBeUndefined();
  else expect(opened).toMatchObject(rejected);
  const receiver = receiverOn(db.inbox());
  const started = await failure(receiver.start());
  expect(started).toMatchObject(rejected);
  expect(String(started)).not.toContain("\n");
  expect(inspect(started, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  // It is told once: by the start.
  expect(receiver.onError).not.toHaveBeenCalled();
  expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
  expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject(rejected);
  await receiver.stop({ timeoutMs: 0 });
  const gateway = { apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9/v1" };
  const { mobileMoney } = new Gateway({ ...gateway, idempotency: db });
  const params = { amount: 100, phone: "0712345678" };
  expect(await failure(mobileMoney.initiate(params, { idempotencyKey: "A/1" }))).toMatchObject({
    outcome: "not_sent",
    message: expect.stringMatching(new RegExp(`so nothing was sent\\..* ${says.source}`)),
  });
  expect((await db.check()).join(" ")).toMatch(says);
  await db.close();
}

describe.skipIf(!isHere)("a start on Redis", () => {
  stopAll();

  test("rejects a wrong password, and none", async () => {
    const says =
      /redis cannot use this server \(.*(?:WRONGPASS|NOAUTH) .+\)\. Redis rejects this user or its password, or got none\. Correct both in the address: .+/;
    await rejectsAtStart(at(`:${PASSWORD}@`), says);
    await rejectsAtStart(at(`nobody:${PASSWORD}@`), says);
    await rejectsAtStart(at(""), says);
  });

  test("rejects a user without rights, and works once it has them", async () => {
    await admin.call("ACL", "SETUSER", "shop", "on", `>${PASSWORD}`, "+ping", "+info", "+client");
    const url = at(`shop:${PASSWORD}@`);
    await rejectsAtStart(
      url,
      /redis cannot use this server \(.*NOPERM .+\)\. This user lacks a right\. Grant it those that the page "Use Redis" lists: .+/,
      true,
    );
    await admin.call("ACL", "SETUSER", "shop", "~*", "&*", "+@all", "-@admin");
    const db = redis(url, { onWarning: () => {} });
    const receiver = receiverOn(db.inbox());
    await receiver.start();
    expect((await receiver.post("PAY-1"))[0]).toBe(200);
    await receiver.stop({ timeoutMs: 0 });
    await db.close();
  });

  test("starts when it is called again, after the password was corrected", async () => {
    await admin.call("ACL", "SETUSER", "late", "on", ">other", "~*", "&*", "+@all");
    const db = redis(at(`late:${PASSWORD}@`), { onWarning: () => {} });
    const receiver = receiverOn(db.inbox({ queue: "late" }));
    expect(await failure(receiver.start())).toMatchObject({ code: "configuration" });
    await admin.call("ACL", "SETUSER", "late", `>${PASSWORD}`);
    const handled: unknown[] = [];
    receiver.on("payment.completed", ({ data }) => void handled.push(data.reference));
    await until(async () => (await failure(receiver.start())) === undefined);
    await until(async () => (await receiver.post("PAY-1"))[0] === 200);
    await until(() => handled.length === 1);
    await receiver.stop({ timeoutMs: 0 });
    await db.close();
  });
});
