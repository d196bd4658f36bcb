import type { RefusalCause } from "../profile/causes.ts";
import { byText } from "../profile/counts.ts";
import { presenceOf } from "../profile/paths.ts";
import { findRefusal, findSchedule, findSuccess } from "../profile/read.ts";
import type { ServiceProfile, Shape } from "../profile/types.ts";
import type { Difference } from "./diff.ts";

/** Where a service no longer does what is known of it, at the places that were seen both times. */
export function checkAgainst(known: ServiceProfile, now: ServiceProfile): Difference[] {
  const found: Difference[] = [];
  for (const endpoint of Object.keys(known.endpoints)) {
    const [before, after] = [findSuccess(known, endpoint), findSuccess(now, endpoint)];
    if (before === undefined || after === undefined) continue;
    if (before.status !== after.status) {
      found.push(changed(`${endpoint} status`, before.status, after.status));
    }
    found.push(...checkShape(endpoint, before.response.body, after.response.body));
  }
  for (const cause of Object.keys(known.refusals) as RefusalCause[]) {
    const [before, after] = [findRefusal(known, cause), findRefusal(now, cause)];
    if (before === undefined || after === undefined) continue;
    if (before.status !== after.status) {
      found.push(changed(`refusals ${cause} status`, before.status, after.status));
    }
    found.push(...checkShape(`refusals ${cause}`, before.response.body, after.response.body));
  }
  for (const [kind, { body }] of Object.entries(known.events)) {
    const event = now.events[kind];
    if (event !== undefined) found.push(...checkShape(kind, body, event.body));
  }
  const [before, after] = [findSchedule(known), findSchedule(now)];
  for (const [index, delay] of after.entries()) {
    const old = before[index];
    if (old !== undefined && old !== delay) {
      found.push(changed(`deliveries redelivery ${index + 1}`, `${old} ms`, `${delay} ms`));
    }
  }
  return found.sort((a, b) => byText(a.path, b.path));
}

const changed = (path: string, before: string | number, after: string | number): Difference => ({
  path,
  before: String(before),
  after: String(after),
});

/** A new field is not a difference: nobody reads it yet. A new list may have had no items before. */
function checkShape(at: string, before: Shape, after: Shape): Difference[] {
  const found: Difference[] = [];
  for (const [path, field] of Object.entries(before)) {
    const place = `${at} ${path}`;
    const types = Object.keys(field.types).sort(byText);
    const now = after[path];
    if (now === undefined) {
      if (isVanished(before, after, path)) {
        found.push({ path: place, before: types.join(" or "), after: undefined });
      }
      continue;
    }
    const others = Object.keys(now.types).filter((type) => !types.includes(type));
    if (others.length > 0) found.push(changed(place, types.join(" or "), others.join(" or ")));
    const values = (now.values ?? []).filter((value) => !field.values?.includes(value));
    if (field.values !== undefined && values.length > 0) {
      found.push(changed(place, field.values.join(", "), values.join(", ")));
    }
  }
  return found;
}

/** Whether a field that was always there is missing from objects that are still there. */
function isVanished(before: Shape, after: Shape, path: string): boolean {
  const { seen, of } = presenceOf(before, path);
  if (path.endsWith("[]") || /(?:\*|\{field\})$/.test(path) || seen < of) return false;
  const parent = presenceOf(after, path).of;
  return parent > 0;
}
