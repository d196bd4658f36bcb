import { describe, expect, it } from "vitest";
import {
  type Dialect,
  FURTHER_DIALECTS,
  LEARNABLE_DIALECTS,
} from "../../support/dialects/index.ts";
import { learn } from "./learn.ts";
import { sandboxPeer, servicePeer } from "./peer.ts";
import { everything } from "./script.ts";
import { differences, transcriptOf } from "./transcript.ts";

function scriptFor({ paging, delivery }: Dialect) {
  const names =
    paging.kind === "none"
      ? { at: "page", size: "per_page", counts: "page" as const }
      : {
          at: paging.at,
          size: paging.size,
          counts: paging.kind === "cursor" ? ("page" as const) : paging.kind,
        };
  // That a service never retries cannot be told from one that was not seen to retry.
  return everything(names, { retries: delivery.retriesMs.length > 0 });
}

describe("a sandbox with the profile of a service", () => {
  it.each([...LEARNABLE_DIALECTS, ...FURTHER_DIALECTS])(
    "$name: responds with the same statuses and shapes, step by step",
    async (dialect) => {
      const profile = await learn(dialect);
      const script = scriptFor(dialect);
      const service = await transcriptOf(script, servicePeer(dialect));
      const sandbox = await transcriptOf(script, sandboxPeer({ profile }));
      const without = await transcriptOf(script, sandboxPeer({}));
      expect(service.length).toBeGreaterThan(200);
      expect(differences(service, without).length).toBeGreaterThan(50);
      expect(differences(service, sandbox)).toEqual([]);
    },
  );
});
