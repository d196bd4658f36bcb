import type { FaultEffect } from "../state/records.ts";
import type { State, StoredChaos } from "../state/stored.ts";
import { chaosHeaders, randomFor, shouldInject } from "./chaos.ts";

const STATUSES = [429, 500, 502, 503, 504] as const;

/** The statuses that a proxy in front of the service returns, as HTML. The service returns the others. */
const PROXY_STATUSES: readonly number[] = [502, 504];

/** A fault of an API request, and the headers that name it in the response. */
export interface RequestFault {
  readonly effect: FaultEffect;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fault that chaos injects into the next API request, if any. */
export function chaosRequestFault({ chaos }: State): RequestFault | undefined {
  if (chaos === undefined) return undefined;
  const key = String(chaos.calls++);
  if (shouldInject(chaos, "apiErrors", key)) {
    return { effect: randomStatus(chaos, key), headers: chaosHeaders(chaos.seed, ["apiErrors"]) };
  }
  if (!shouldInject(chaos, "lostResponses", key)) return undefined;
  return { effect: { kind: "lostResponse" }, headers: chaosHeaders(chaos.seed, ["lostResponses"]) };
}

function randomStatus(chaos: StoredChaos, key: string): FaultEffect {
  const index = Math.floor(randomFor(chaos, "status", key) * STATUSES.length);
  const status = STATUSES[index] ?? 500;
  const message = `Chaos returned ${status}. Its seed is ${JSON.stringify(chaos.seed)}.`;
  if (!PROXY_STATUSES.includes(status)) {
    return { kind: "status", status, body: { success: false, error: message } };
  }
  return {
    kind: "status",
    status,
    headers: { "content-type": "text/html" },
    body: `<html><body>${escapeHtml(message)}</body></html>`,
  };
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
