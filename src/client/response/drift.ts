import type { Endpoint } from "../../contract/endpoints.ts";
import type { Schema } from "../../contract/schema.ts";
import { SCHEMAS } from "../../contract/schemas.ts";
import { findProfileDrift } from "../../profile/drift.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { callHook, type DriftView, type GatewayHooks } from "../hooks.ts";

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function findDrift(endpoint: string, { response, list }: Endpoint, data: unknown): DriftView[] {
  const items = list === undefined ? [data] : (data as unknown[]);
  return items.flatMap((item, index) => {
    const checked = response && (SCHEMAS[response] as Schema).safeParse(item);
    if (checked === undefined || checked.success) return [];
    return checked.error.issues.map(({ path, message }) => ({
      endpoint,
      path: ["data", ...(list === undefined ? [] : [index]), ...path].map(String).join("."),
      expected: message.replace(/^expected /, ""),
      received: typeName(path.reduce<unknown>((value, name) => Object(value)[name], item)),
    }));
  });
}

/** Tells the `drift` hook what differs from the contract, and from what was learned of the service. */
export interface DriftReporter {
  /** @param data - What was found in the envelope. */
  contract(name: string, endpoint: Endpoint, data: unknown): void;
  profile(name: string, status: number, body: unknown): void;
}

/** @param profile - What was learned of the service. */
export function driftReporter(
  { drift }: GatewayHooks,
  profile: ServiceProfile | undefined,
): DriftReporter {
  const report = (views: Iterable<DriftView>) => {
    for (const view of views) callHook(drift, () => view);
  };
  return {
    contract: (name, endpoint, data) => report(findDrift(name, endpoint, data)),
    profile: (name, status, body) => {
      if (profile === undefined) return;
      const found = findProfileDrift(profile, name, status, body);
      report(found.map((one) => ({ endpoint: name, ...one })));
    },
  };
}
