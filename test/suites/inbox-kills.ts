import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { bundle } from "../stress/harness/bundle.ts";
import {
  type EngineName,
  type OwnTables,
  type Place,
  tablesIn,
} from "../stress/harness/databases.ts";
import { WorkerProcess } from "../stress/harness/processes.ts";
import { deliver, deliveryOf } from "../stress/inboxes/sender.ts";
import { POINTS, type Point, type ShopSettings } from "../stress/inboxes/settings.ts";
import type { Engine } from "../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../support/engines/proxy.ts";
import type { OrmName } from "../support/orms/orm.ts";
import { references, until } from "./inbox-stage.ts";

/** What every inbox promises when processes die, and when several share a store. */
export function killSuite(
  inbox: EngineName,
  freshStore: (folder: string) => string | Promise<string>,
  /** Only the effects of these libraries, in their own transactions. */
  orms?: readonly OrmName[],
  /** That of the inbox, if it can hang. */
  engine?: Engine,
): void {
  const files = mkdtempSync(join(tmpdir(), "malipo-shop-"));
  const open = new Set<WorkerProcess>();
  const made = new Set<OwnTables>();
  let file = "";

  /** A shop's place, with what it is told of it, and its effects. */
  interface Stage {
    readonly place: Place;
    readonly orm: OrmName | undefined;
    readonly effects: () => Promise<string[]>;
  }

  async function start({ place, orm }: Stage, port: number, more: Partial<ShopSettings> = {}) {
    // Parts of it are not whole milliseconds, which is all that an engine takes.
    const setup: ShopSettings = { place, orm, port, leaseMs: 2_000, ...more };
    const shop = new WorkerProcess("shop", { file, setup });
    open.add(shop);
    if (!(await shop.ready)) throw new Error(`The shop ended: ${shop.errors.join("")}`);
    return shop;
  }
  async function freshStage(orm?: OrmName): Promise<Stage> {
    const name = `malipo_${crypto.randomUUID().replaceAll("-", "_")}`;
    const place: Place = {
      ...{ engine: inbox, name, url: await freshStore(join(files, name)) },
      ledger: join(files, `${name}.ledger`),
    };
    const tables = await tablesIn(place);
    made.add(tables);
    await tables.make();
    return { place, orm, effects: () => tables.rows("effects") };
  }

  closeProxies();
  beforeAll(async () => {
    file = await bundle("inboxes/shop.ts", []);
  });
  afterEach(async () => {
    await Promise.all([...open].map((shop) => shop.kill()));
    open.clear();
    await Promise.all([...made].map((tables) => tables.drop()));
    made.clear();
  });
  afterAll(() => rmSync(files, { recursive: true, force: true }));

  /** What happened to two events, of which the first killed its process. */
  async function killAt(point: Point, orm?: OrmName) {
    const stage = await freshStage(orm);
    const { effects } = stage;
    const port = await freePort();
    const shop = await start(stage, port, { die: point });
    const delivered = deliver(port, deliveryOf("PAY-1"));
    const killedBy = await shop.exit;
    await start(stage, port);
    await delivered;
    await until(async () => (await effects()).includes("PAY-1"));
    for (const reference of ["PAY-1", "PAY-2"]) await deliver(port, deliveryOf(reference));
    await until(async () => (await effects()).includes("PAY-2"));
    return [killedBy, (await effects()).sort()];
  }

  if (orms !== undefined) {
    test.each(orms)(
      "a process that is killed loses and repeats no effect of %s, before and after COMMIT",
      async (orm) => {
        const points = ["in the middle of its effect", "after its effect"] as const;
        const outcomes = await Promise.all(points.map((point) => killAt(point, orm)));
        expect(outcomes).toEqual(points.map(() => ["SIGKILL", ["PAY-1", "PAY-2"]]));
      },
    );
    return;
  }

  describe(`${inbox}: a process that is killed`, () => {
    // In parallel: most of the time is spent waiting for leases of dead processes to expire.
    test("loses nothing and repeats no effect, wherever it dies", async () => {
      const outcomes = await Promise.all(POINTS.map((point) => killAt(point)));
      expect(outcomes).toEqual(POINTS.map(() => ["SIGKILL", ["PAY-1", "PAY-2"]]));
    });

    test("with SIGTERM finishes its running handlers and ends by itself", async () => {
      const stage = await freshStage();
      const { effects } = stage;
      const port = await freePort();
      const shop = await start(stage, port);
      const names = references(20);
      await Promise.all(names.map((reference) => deliver(port, deliveryOf(reference))));
      await until(async () => (await effects()).length === names.length);
      shop.end();
      expect(await shop.exit).toBe(null);
      expect(shop.errors).toEqual([]);
      expect((await effects()).sort()).toEqual([...names].sort());
    });

    test.skipIf(engine === undefined)(
      "with SIGTERM ends by itself while its engine does not reply",
      async () => {
        const stage = await freshStage();
        const { effects } = stage;
        const proxy = await proxyTo(engine as Engine);
        const port = await freePort();
        const shop = await start({ ...stage, place: { ...stage.place, url: proxy.url } }, port);
        await deliver(port, deliveryOf("PAY-1"));
        await until(async () => (await effects()).length === 1);
        proxy.silence();
        shop.end();
        // A connection that is left open keeps the process for a minute.
        expect(await Promise.race([shop.exit, sleep(50_000, "it runs")])).toBe(null);
      },
    );

    test("whose handler blocks it for longer than its lease repeats no effect, and says so", async () => {
      const stage = await freshStage();
      const { effects } = stage;
      const file = join(files, `${stage.place.name}.end`);
      const [port, otherPort] = await Promise.all([freePort(), freePort()]);
      const blocked = await start(stage, port, { blocksUntil: file });
      await deliver(port, deliveryOf("PAY-1"));
      // The other process could take it before.
      await until(() => existsSync(`${file}.begun`));
      await start(stage, otherPort);
      await until(async () => (await effects()).includes("PAY-1"));
      writeFileSync(file, "");
      const printed = () => blocked.errors.join("");
      await until(() => printed().includes("was lost: another process"), printed);
      await deliver(port, deliveryOf("PAY-2"));
      await until(async () => (await effects()).includes("PAY-2"));
      expect((await effects()).sort()).toEqual(["PAY-1", "PAY-2"]);
      expect(printed()).not.toContain("Missing lock");
    });

    test("leaves its events to the others, on a store that all created at the same time", async () => {
      const stage = await freshStage();
      const { effects } = stage;
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const shops = await Promise.all(ports.map((port) => start(stage, port)));
      const names = references(90);
      const deliveries = names.map((reference, at) =>
        deliver(ports[at % 3] as number, deliveryOf(reference)),
      );
      await until(async () => (await effects()).length > 10);
      await shops[0]?.kill();
      await start(stage, ports[0] as number);
      await Promise.all(deliveries);
      await until(async () => new Set(await effects()).size === names.length);
      expect((await effects()).sort()).toEqual([...names].sort());
    });
  });
}
