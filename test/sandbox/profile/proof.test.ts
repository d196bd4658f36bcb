import { describe, expect, it } from "vitest";
import { FURTHER_DIALECTS, LEARNABLE_DIALECTS } from "../../support/dialects/index.ts";
import { learnFile as learn } from "./learn.ts";
import { sandboxPeer, servicePeer } from "./peer.ts";
import { scriptFor } from "./script.ts";
import { differences, transcriptOf } from "./transcript.ts";

describe("a sandbox with the profile of a service", () => {
  it.each([...LEARNABLE_DIALECTS, ...FURTHER_DIALECTS])(
    "$name: responds with the same statuses and shapes, step by step",
    async (dialect) => {
      const profile = await learn(dialect);
      const script = scriptFor(dialect, { payments: true });
      const service = await transcriptOf(script, servicePeer(dialect));
      const sandbox = await transcriptOf(script, sandboxPeer({ profile }));
      const without = await transcriptOf(script, sandboxPeer({}));
      expect(service.length).toBeGreaterThan(200);
      expect(differences(service, without).length).toBeGreaterThan(50);
      expect(differences(service, sandbox)).toEqual([]);
    },
  );
});
