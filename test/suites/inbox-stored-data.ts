import type { Job } from "malipo/types";
import type { Inbox } from "malipo/webhooks";
import { expect } from "vitest";
import { ALL } from "../webhooks/inbox/sqlite/stored-data/fill.ts";
import { receiverOn, until } from "./inbox-stage.ts";

/** Events of `fill` that another version has stored are recognised, listed and processed. */
export async function expectEventsToGoOn(inbox: Inbox): Promise<void> {
  const { deadLetters, conflicts } = receiverOn(inbox);
  const jobs: Job[] = [];
  const run = async (job: Job) => void jobs.push(job);
  await inbox.start({ run, concurrency: 8, onError: () => {} });
  await until(() => jobs.length === 3);
  expect(jobs.sort((a, b) => (a.key < b.key ? -1 : 1))).toMatchObject([
    { key: ALL.waiting.key, attempt: 1, traceContext: ALL.waiting.traceContext, source: "read" },
    { key: ALL.newKind.key, attempt: 1 },
    { key: expect.any(String), attempt: 1 },
  ]);
  for (const known of [ALL.waiting, ALL.done, ALL.dead, ALL.requeued, ALL.dropped]) {
    expect(await inbox.accept(known)).toMatchObject({ kind: "duplicate" });
  }
  expect(await inbox.accept(ALL.open)).toMatchObject({ kind: "conflict" });
  const [letter] = await deadLetters.list();
  expect(await deadLetters.read(letter?.id ?? "")).toMatchObject({
    id: ALL.dead.key,
    error: "too old",
    body: Buffer.from(ALL.dead.raw).toString(),
    signature: ALL.dead.signature,
  });
  expect(await conflicts.list()).toMatchObject([{ event: ALL.open.event }]);
  const filter = { kind: undefined, since: undefined, until: undefined, after: undefined };
  expect(await inbox.doublePayments?.list({ ...filter, limit: 10 })).toEqual([ALL.double]);
  expect((await inbox.horizon?.())?.remembersSince ?? 0).toBeGreaterThan(0);
  await inbox.stop(1_000);
}

/** A process that works on no other kind takes an event that was stored before its kind was known. */
export async function expectNewKindToGoOn(inbox: Inbox): Promise<void> {
  const keys: string[] = [];
  const run = async ({ key }: Job) => void keys.push(key);
  await inbox.start({ run, concurrency: 8, kinds: [ALL.newKind.event], onError: () => {} });
  await until(() => keys.length > 0);
  expect(keys).toEqual([ALL.newKind.key]);
  expect(await inbox.accept(ALL.newKind)).toMatchObject({ kind: "duplicate" });
  await inbox.stop(1_000);
}
