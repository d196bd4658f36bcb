import { readFileSync, rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { sandboxPeer, servicePeer } from "../../sandbox/profile/peer.ts";
import { scriptFor } from "../../sandbox/profile/script.ts";
import { differences, transcriptOf } from "../../sandbox/profile/transcript.ts";
import {
  createDialectService,
  type Dialect,
  FURTHER_DIALECTS,
  LEARNABLE_DIALECTS,
} from "../../support/dialects/index.ts";
import { malipo } from "../in-process.ts";
import { newFolder } from "./services.ts";

/** What one probe learns of a service, without a payment. */
async function probe(dialect: Dialect) {
  const service = createDialectService(dialect);
  const { baseUrl, close } = await service.serve();
  onTestFinished(close);
  const { folder, path } = newFolder(service.keys);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = ["--base-url", baseUrl, "--key-file", "sandbox", "--public-key-file", "public"];
  const { code, stderr } = await malipo(["probe", ...args, "--write"], { cwd: folder });
  expect([code, stderr]).toEqual([EXIT.ok, expect.any(String)]);
  return JSON.parse(readFileSync(path("malipo.service.json"), "utf8"));
}

/** Steps that no probe can foresee: it sends nothing to a customer, and has no key without scopes. */
const NOT_PROBED = /\/send |"key":"scopeless"/;

/** What one invoice and one webhook do not show of a service. */
const NOT_SEEN: Readonly<Record<string, RegExp>> = {
  // A second page, and with it a cursor or an order.
  cursor: /GET \/invoices\?/,
  hal: /GET \/invoices\?/,
  // Names of parameters that nothing in a response shows.
  "html-errors": /GET \/[\w/-]+\?/,
  "always-200": /GET \/[\w/-]+\?/,
  // As above. And the sandbox makes up what stands below `attributes`, by the format of the name that
  // the probe gave its webhook: a text of two words.
  "json-api":
    /GET \/[\w/-]+\?|webhooks.* -\$\.data(?:\[\])?\.attributes\.name string token \+\$\.data(?:\[\])?\.attributes\.name string text$/,
  // The probe asks only for a number that is not one at all.
  strict: /validate-phone/,
};

describe("a sandbox with the profile that `malipo probe --write` has written", () => {
  test.each([...LEARNABLE_DIALECTS, ...FURTHER_DIALECTS])(
    "$name: reads, writes and rejections have the same statuses and shapes, step by step",
    async (dialect) => {
      const profile = await probe(dialect);
      const script = scriptFor(dialect, { payments: false });
      const service = await transcriptOf(script, servicePeer(dialect));
      const sandbox = await transcriptOf(script, sandboxPeer({ profile }));
      const unexpected = differences(service, sandbox).filter(
        (step) => !NOT_PROBED.test(step) && !NOT_SEEN[dialect.name]?.test(step),
      );
      expect(unexpected).toEqual([]);
    },
  );
});
