import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest, the longest first, as the end of a run prints them. By default the largest begin first, and
 * those that only call a suite or start processes last: then one core waits for minutes.
 */
export const SLOW: readonly string[] = [
  "test/browser/manual.long.test.ts",
  "test/drill/run-drill.long.test.ts",
  "test/package/orders-campaign.long.test.ts",
  "test/drill/goods/goods.long.test.ts",
  "test/package/compilers.long.test.ts",
  "test/browser/pay-page.long.test.ts",
  "test/drill/former-shops.long.test.ts",
  "test/drill/printed-shop.long.test.ts",
  "test/drill/ends.long.test.ts",
  "test/checkout/rules/model/model.long.test.ts",
  "test/checkout/rules/model/left-out-rules.long.test.ts",
  "test/browser/operator-night.long.test.ts",
  "test/package/campaign.long.test.ts",
  "test/drill/engines.long.test.ts",
  "test/docs/examples-own-orders.long.test.ts",
  "test/docs/examples-vendure.long.test.ts",
  "test/docs/examples-tickets.long.test.ts",
  "test/drill/flags.long.test.ts",
  "test/docs/shops/next.long.test.ts",
  "test/storage/migration-locks.long.test.ts",
  "test/webhooks/inbox/postgres/kills.long.test.ts",
  "test/webhooks/inbox/bullmq/kills.long.test.ts",
  "test/webhooks/inbox/mysql/kills.long.test.ts",
  "test/webhooks/inbox/sqlite/kills.long.test.ts",
  "test/checkout/mysql/transact.test.ts",
  "test/checkout/postgres/transact.test.ts",
  "test/checkout/mysql/lost-transactions.test.ts",
  "test/docs/examples-tickets.test.ts",
  "test/package/office-processes.test.ts",
  "test/webhooks/inbox/mysql/inbox.test.ts",
  "test/webhooks/inbox/bullmq/inbox.test.ts",
  "test/webhooks/inbox/postgres/inbox.test.ts",
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((path) => moduleId.endsWith(path));
      return at === -1 ? SLOW.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
