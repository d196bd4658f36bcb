import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest, the longest first, as the end of a run prints them. By default the largest begin first, and
 * those that only call a suite or start processes last: then one core waits for minutes.
 */
export const SLOW: readonly string[] = [
  "test/package/orders-campaign.long.test.ts",
  "test/browser/manual.long.test.ts",
  "test/package/campaign.long.test.ts",
  "test/drill/goods/goods.long.test.ts",
  "test/docs/examples-vendure.long.test.ts",
  "test/browser/operator-night.long.test.ts",
  "test/package/soak.long.test.ts",
  "test/package/compilers.long.test.ts",
  "test/package/pack-release.long.test.ts",
  "test/checkout/rules/model/model.long.test.ts",
  "test/browser/sandbox-page-layout.long.test.ts",
  "test/checkout/page/pay-looks.long.test.ts",
  "test/drill/run-drill.long.test.ts",
  "test/drill/printed-shop.long.test.ts",
  "test/drill/ends.long.test.ts",
  "test/drill/former-shops.long.test.ts",
  "test/docs/examples-own-orders.long.test.ts",
  "test/drill/engines.long.test.ts",
  "test/docs/path.long.test.ts",
  "test/drill/busy-drill.long.test.ts",
  "test/drill/flags.long.test.ts",
  "test/storage/migration-locks.long.test.ts",
  "test/docs/examples-durable.long.test.ts",
  "test/docs/examples-tickets.long.test.ts",
  "test/webhooks/inbox/postgres/kills.long.test.ts",
  "test/webhooks/inbox/bullmq/server-clock.long.test.ts",
  "test/webhooks/inbox/postgres/server-clock.long.test.ts",
  "test/checkout/mysql/transact.test.ts",
  "test/checkout/postgres/transact.test.ts",
  "test/docs/examples-compose.test.ts",
  "test/checkout/mysql/lost-transactions.test.ts",
  "test/webhooks/inbox/postgres/inbox.test.ts",
  "test/docs/examples-tickets.test.ts",
  "test/webhooks/inbox/mysql/inbox.test.ts",
  "test/webhooks/inbox/bullmq/inbox.test.ts",
  "test/checkout/postgres/orders.test.ts",
  "test/support/orms/orm-resets.test.ts",
  "test/cli/installed/process.test.ts",
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
