import { randomInt } from "node:crypto";
import { EVENT_KINDS } from "../contract/events.ts";
import { eventExample } from "../openapi/events.ts";
import { formatTimestamp } from "../sandbox/clock/time.ts";

/**
 * An event as the service would send it now. Each call makes new ids and references, because a
 * receiver treats a second event about the same reference as a duplicate.
 */
export function sampleEvent(kind: string): Record<string, unknown> {
  const known = EVENT_KINDS.find((one) => one === kind);
  const data = { ...Object(known && eventExample(known).data) };
  const id = randomInt(1_000_000, 1_000_000_000);
  const fresh = { payment_id: id, reference: `PAY-SAMPLE${id}`, id: `sample_${id}` };
  for (const [name, value] of Object.entries(fresh)) if (name in data) data[name] = value;
  return { event: kind, timestamp: formatTimestamp(Date.now()), data };
}
