import type { EndpointName } from "../../contract/endpoints.ts";
import { CHAOS_NAMES } from "../faults/chaos.ts";
import type { FaultOptions } from "../faults/fault-options.ts";
import type { FaultEffect } from "../state/records.ts";
import {
  type Command,
  type CommandFields,
  defineCommand,
  numberField,
  textField,
} from "./types.ts";

function effectFrom(fields: CommandFields): FaultEffect {
  const kind = textField(fields, "kind") as FaultEffect["kind"];
  if (kind === "latency") return { kind, ms: numberField(fields, "ms") ?? 2_000 };
  if (kind !== "status") return { kind };
  const { headers, body } = fields;
  return {
    kind,
    status: numberField(fields, "status") ?? 503,
    ...(headers !== undefined && { headers: headers as Record<string, string> }),
    ...(body !== undefined && { body: body as string }),
  };
}

/** A field that was left out, or left empty in a form, matches every request. */
function matchFrom(fields: CommandFields): NonNullable<FaultOptions["match"]> {
  const given = ["endpoint", "method", "path"].map((name) => [name, textField(fields, name)]);
  return Object.fromEntries(given.filter(([, text]) => text !== "")) as {
    endpoint?: EndpointName;
  };
}

/** What goes wrong on purpose. */
export const FAULT_COMMANDS = {
  "faults/add": defineCommand({
    summary: "Adds a fault to the requests that match.",
    path: "/faults",
    fields: [
      "kind",
      "endpoint",
      "method",
      "path",
      "status",
      "headers",
      "body",
      "ms",
      "after",
      "times",
    ],
    required: ["kind"],
    act: ({ sandbox }, fields) => {
      const isAlways = textField(fields, "times") === "always";
      const id = sandbox.faults.add({
        match: matchFrom(fields),
        effect: effectFrom(fields),
        after: numberField(fields, "after") ?? 0,
        times: isAlways ? Number.POSITIVE_INFINITY : (numberField(fields, "times") ?? 1),
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
    act: ({ sandbox }, fields) => {
      const id = textField(fields, "id");
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
    summary: "Starts random faults at the given rates, from 0 (never) to 1 (always).",
    path: "/chaos",
    fields: [...CHAOS_NAMES, "seed"],
    act: ({ sandbox }, fields) => {
      const rates = CHAOS_NAMES.map((name) => [name, numberField(fields, name) ?? 0]);
      const seed = textField(fields, "seed");
      return sandbox.chaos({ ...Object.fromEntries(rates), ...(seed !== "" && { seed }) });
    },
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
