// Which cases run at the same time in one shop.
import { type DrillCase, hasKind, isManaged, processFault } from "./cases.ts";

const WAVE_SIZE = 12;

/** Of these, each case only waits: more of them fit into a wave. */
const PATIENT = 4;

function whatTakesTime(one: DrillCase): string {
  if (one.act === "lastPiece") return one.act;
  if (isManaged(one)) return "managed";
  if (hasKind(one, "away")) return "away";
  return hasKind(one, "slow") || one.faults.length > 1 ? "slow" : "others";
}

/**
 * What cases of one wave have in common. A fault of the process happens to all of them at once, each at its
 * moment around the same request or webhook.
 */
function waveOf(one: DrillCase): { readonly key: string; readonly isPatient: boolean } {
  const fault = processFault(one);
  if (fault === undefined) {
    const key = whatTakesTime(one);
    return { key, isPatient: key !== "others" };
  }
  const { kind, subject, when } = fault;
  // A shop may read one payment after another: what waits at one moment would hold the others, which never reach theirs.
  // Prompts that are ignored expire at once, by a clock that waits for all other deliveries.
  const isLate = subject === "final" && one.customer === "does nothing";
  const moment = subject === "read" ? when : "";
  return { key: `${kind} ${subject} ${moment} ${isLate}`, isPatient: true };
}

/** Groups cases that can run at the same time in one shop. */
export function groupIntoWaves(cases: readonly DrillCase[], size = WAVE_SIZE): DrillCase[][] {
  const waves: DrillCase[][] = [];
  const open = new Map<string, DrillCase[]>();
  for (const one of cases) {
    const { key, isPatient } = waveOf(one);
    const wave = open.get(key) ?? [];
    if (wave.length === 0) waves.push(wave);
    wave.push(one);
    open.set(key, wave.length < (isPatient ? PATIENT : 1) * size ? wave : []);
  }
  return waves;
}
