// Prints what the last `npm test` and `npm run test:long` ran in each folder of tests, and for how long: a
// table for docs/contributing/tests.md. A folder's time is that of its files one after another.
import { readResults, TEST_RESULTS } from "./test-results.ts";

/** `test/webhooks/inbox` for `test/webhooks/inbox/bullmq/inbox.test.ts`. */
const folderOf = (path: string): string => path.split("/").slice(0, -1).slice(0, 3).join("/");

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

for (const [command, file] of Object.entries(TEST_RESULTS)) {
  const folders = new Map<string, { files: number; tests: number; ms: number }>();
  for (const { path, tests, ms } of readResults(file)?.files ?? []) {
    const sum = folders.get(folderOf(path)) ?? { files: 0, tests: 0, ms: 0 };
    sum.files++;
    sum.tests += tests;
    sum.ms += ms;
    folders.set(folderOf(path), sum);
  }
  const rows = [...folders].sort(([one], [other]) => (one < other ? -1 : 1));
  console.log(`\n| ${command} | files | tests | time |\n| --- | --- | --- | --- |`);
  for (const [folder, { files, tests, ms }] of rows) {
    console.log(`| \`${folder}\` | ${files} | ${tests} | ${seconds(ms)} |`);
  }
}
