import type { FaultEffect } from "../state/records.ts";
import type { State } from "../state/state.ts";
import { chaosMark, luck, strikes } from "./chaos.ts";

const STATUSES = [429, 500, 502, 503, 504] as const;

/** What a proxy says that stands before the service; the others are the service's own. */
const PROXY_STATUSES: readonly number[] = [502, 504];

/** A mishap of a call, and the headers that its answer carries. */
export interface CallMishap {
  readonly effect: FaultEffect;
  readonly mark: Readonly<Record<string, string>>;
}

/** What chaos does to the next call of the service, if anything. */
export function callMishap({ chaos }: State): CallMishap | undefined {
  if (chaos === undefined) return undefined;
  const key = String(chaos.calls++);
  if (strikes(chaos, "apiErrors", key)) {
    const status = STATUSES[Math.floor(luck(chaos, "status", key) * STATUSES.length)] ?? 500;
    const said = `Chaos answers ${status}; its seed is ${JSON.stringify(chaos.seed)}.`;
    const answer = PROXY_STATUSES.includes(status)
      ? {
          headers: { "content-type": "text/html" },
          body: `<html><body>${escaped(said)}</body></html>`,
        }
      : { body: { success: false, error: said } };
    return {
      effect: { kind: "status", status, ...answer },
      mark: chaosMark(chaos.seed, ["apiErrors"]),
    };
  }
  if (!strikes(chaos, "lostResponses", key)) return undefined;
  return { effect: { kind: "lostResponse" }, mark: chaosMark(chaos.seed, ["lostResponses"]) };
}

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
