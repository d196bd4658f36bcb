import type { ChaosName, FaultEffect } from "../state/records.ts";
import type { State, StoredChaos } from "../state/stored.ts";
import { chaosHeaders, randomFor, shouldInject } from "./chaos.ts";

const STATUSES = [429, 500, 502, 503, 504] as const;

/** The statuses that a proxy in front of the service returns, as HTML. The service returns the others. */
const PROXY_STATUSES: readonly number[] = [502, 504];

/** The fault that chaos injects into the next API request, if any, and the headers that name it. */
export function chaosRequestFault({ chaos }: State) {
  if (chaos === undefined) return undefined;
  const key = String(chaos.calls++);
  const fault = (name: ChaosName, effect: FaultEffect) => ({
    effect,
    headers: chaosHeaders(chaos.seed, [name]),
  });
  if (shouldInject(chaos, "apiErrors", key)) return fault("apiErrors", randomStatus(chaos, key));
  if (!shouldInject(chaos, "lostResponses", key)) return undefined;
  return fault("lostResponses", { kind: "lostResponse" });
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
