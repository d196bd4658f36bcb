import { operatorHandler } from "malipo/operator";
import { beforeAll, describe, expect, test } from "vitest";
import { sqliteInbox } from "../support/stores/sqlite-inbox.ts";
import { nightShift } from "./stage.ts";

const COUNT = 10_000;
const LAST = COUNT - 1;

describe("the operator's page with 10,000 events", () => {
  let get: (query?: string) => Promise<string>;
  /** How many bodies were read. */
  let reads = 0;
  beforeAll(async () => {
    const night = { replays: COUNT, inbox: sqliteInbox(":memory:") };
    const { receiver, gateway } = await nightShift({}, night);
    const counted = <List extends { read(id: string): Promise<unknown> }>(list: List): List => ({
      ...list,
      read: (id: string) => {
        reads++;
        return list.read(id);
      },
    });
    const page = operatorHandler({
      receiver: {
        ...receiver,
        waiting: counted(receiver.waiting),
        deadLetters: counted(receiver.deadLetters),
        conflicts: counted(receiver.conflicts),
      },
      gateway,
      authorize: () => true,
    });
    get = async (query = "") => {
      reads = 0;
      return (await page(new Request(`https://shop.test/operator${query}`))).text();
    };
  });

  const hrefOf = (html: string, pattern: RegExp) =>
    pattern.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";

  test("shows a list by the bodies of its rows alone", async () => {
    const html = await get("?list=tooOld");
    expect(html).toContain("<small>10,000</small>");
    expect(reads).toBe(25);
  });

  test("opens one event by its body, beside those of the rows, and those that it may not know", async () => {
    const item = hrefOf(await get("?list=tooOld"), /href="(\?list=tooOld&amp;item=[^"]+)"/);
    const html = await get(item);
    expect(html).toContain("An event came that waits. Too old, never tried");
    expect(reads).toBeLessThanOrEqual(25 + 1 + 25);
  });

  test("finds the event of a payment behind all others for its story", async () => {
    const html = await get(`?payment=PAY-OLD-${LAST}`);
    expect(html).toContain("An event came that waits. Too old, never tried");
    expect(reads).toBeLessThanOrEqual(25);
  });

  test("searches a reference behind all others, and reads only so many bodies", async () => {
    const html = await get(`?q=PAY-OLD-${LAST}`);
    expect(html).toContain(`<strong>ORDER-OLD-${LAST}</strong>`);
    expect(reads).toBeLessThanOrEqual(501);
  });

  test("searches a phone to the newest event, in steps that read few bodies", async () => {
    let steps = 0;
    let found = "";
    for (let address = "?q=0712345678"; address !== ""; steps++) {
      const html = await get(address);
      expect(reads).toBeLessThanOrEqual(500);
      found += html;
      address = hrefOf(html, /href="([^"]+)">Search further</);
    }
    expect(steps).toBe(Math.ceil((COUNT + 4) / 500));
    expect(found.split(`<strong>ORDER-OLD-${LAST}</strong>`)).toHaveLength(2);
  });
});
