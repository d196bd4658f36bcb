import type { Endpoint } from "../../contract/endpoints.ts";
import { findProfileDrift } from "../../profile/drift.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { callHook, type DriftView, type GatewayHooks } from "../hooks.ts";

/** What decides whether a difference is reported. */
export interface DriftSettings {
  readonly hooks: GatewayHooks;
  /** What was learned of the service. */
  readonly profile?: ServiceProfile | undefined;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function findDrift(endpoint: string, { response, list }: Endpoint, data: unknown): DriftView[] {
  const items = list === undefined ? [data] : (data as unknown[]);
  return items.flatMap((item, index) => {
    const checked = response?.safeParse(item);
    if (checked === undefined || checked.success) return [];
    return checked.error.issues.map(({ path, message }) => ({
      endpoint,
      path: ["data", ...(list === undefined ? [] : [index]), ...path].map(String).join("."),
      expected: message.replace(/^expected /, ""),
      received: typeName(path.reduce<unknown>((value, name) => Object(value)[name], item)),
    }));
  });
}

/**
 * Calls the `drift` hook for each place where `data` differs from its documented type.
 *
 * @param endpoint - Its name, as the hook gets it.
 */
export function reportDrift(
  endpoint: string,
  row: Endpoint,
  data: unknown,
  { drift }: GatewayHooks,
): void {
  // Without a hook, the check would be work for nobody.
  if (drift === undefined) return;
  for (const view of findDrift(endpoint, row, data)) callHook(drift, () => view);
}

/**
 * Calls the `drift` hook for each place where a response differs from what was learned of the service.
 *
 * @param endpoint - Its name, as the hook gets it.
 */
export function reportProfileDrift(
  endpoint: string,
  status: number,
  body: unknown,
  { hooks: { drift }, profile }: DriftSettings,
): void {
  if (drift === undefined || profile === undefined) return;
  for (const found of findProfileDrift(profile, endpoint, status, body)) {
    callHook(drift, () => ({ endpoint, ...found }));
  }
}
