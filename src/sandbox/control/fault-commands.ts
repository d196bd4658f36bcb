import type { EndpointName } from "../../contract/endpoints.ts";
import { EFFECT_FIELDS } from "../faults/faults.ts";
import { CHAOS_NAMES, type FaultEffect } from "../state/sandbox-records.ts";
import { type Command, type CommandFields, defineCommand, numberIn } from "./define-command.ts";

const MATCH = ["endpoint", "method", "path"] as const;
const EFFECT = ["status", "headers", "body", "ms"] as const;

type EffectFields = CommandFields<"kind" | (typeof EFFECT)[number]>;

/** The fields that the kind of effect has; others are left out, as a form sends them all. */
function effectFrom({ kind, ms = 2_000, status = 503, headers, body }: EffectFields): FaultEffect {
  const given = { kind, ms, status, headers, body };
  const names = EFFECT_FIELDS[kind as FaultEffect["kind"]] ?? ["kind"];
  const own = Object.entries(given).filter(
    ([name, value]) => value !== undefined && names.includes(name),
  );
  return Object.fromEntries(own) as unknown as FaultEffect;
}

export const FAULT_COMMANDS = {
  "faults/add": defineCommand({
    summary: "Adds a fault to the requests that match.",
    path: "/faults",
    fields: ["kind", ...MATCH, ...EFFECT, "after", "times"],
    required: ["kind"],
    example: { kind: "lostResponse", endpoint: "mobileMoney.initiate" },
    act: ({ sandbox }, { after, times, endpoint, method, path, ...fault }) => {
      const id = sandbox.faults.add({
        // A field that was left out, or left empty in a form, matches every request.
        match: {
          endpoint: (endpoint || undefined) as EndpointName | undefined,
          method: method || undefined,
          path: path || undefined,
        },
        effect: effectFrom(fault),
        after,
        times: times === "always" ? Number.POSITIVE_INFINITY : numberIn("times", times),
      });
      return { id };
    },
    message: ({ id }) => `The fault ${id} is active.`,
  }),
  "faults/remove": defineCommand({
    summary: "Ends one fault.",
    path: "/faults/{id}/remove",
    removes: true,
    fields: ["id"],
    example: { id: "flt_1" },
    act: ({ sandbox }, { id }) => {
      sandbox.faults.remove(id);
      return { id };
    },
    message: ({ id }) => `The fault ${id} is removed.`,
  }),
  "faults/clear": defineCommand({
    summary: "Ends all faults.",
    path: "/faults/clear",
    removes: true,
    fields: [],
    act: ({ sandbox }) => {
      sandbox.faults.clear();
      return {};
    },
    message: () => "All faults are cleared.",
  }),
  chaos: defineCommand({
    summary: "Starts random faults at the given rates.",
    path: "/chaos",
    fields: [...CHAOS_NAMES, "seed"],
    example: { duplicate: 0.3, lostResponses: 0.1, seed: "42" },
    act: ({ sandbox }, { seed, ...rates }) => sandbox.chaos({ ...rates, seed: seed || undefined }),
    message: ({ seed }) => `Chaos has started with the seed ${seed}.`,
  }),
  "chaos/end": defineCommand({
    summary: "Ends random faults.",
    path: "/chaos/end",
    removes: true,
    fields: [],
    act: ({ sandbox }) => sandbox.chaos({}),
    message: () => "Chaos has ended.",
  }),
} as const satisfies Record<string, Command>;
