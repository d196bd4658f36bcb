/** The waits that services use, in seconds: round numbers, and powers of two. */
const USUAL = [
  ...[0.01, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75],
  ...[1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 18, 20, 25, 30, 32, 35, 40, 45, 50, 60],
  ...[64, 75, 80, 90, 100, 120, 128, 150, 180, 200, 240, 256, 300, 360, 420, 480, 512, 600, 720],
  ...[900, 1_000, 1_024, 1_200, 1_500, 1_800, 2_048, 2_400, 2_700, 3_000, 3_600, 5_400, 7_200],
  ...[10_800, 14_400, 18_000, 21_600, 28_800, 36_000, 43_200, 64_800, 86_400, 172_800, 259_200],
];

/** The longest usual wait that a gap may be, if the network made it longer by at most this part. */
const usualWithin = (gap: number, part: number): number | undefined =>
  USUAL.findLast((usual) => usual <= gap * 1.005 && gap <= usual * (1 + part));

/** How much longer than the wait of the service a gap may be. */
const SURELY = 0.02;
const PROBABLY = 0.12;

/**
 * A gap between two deliveries, as a profile has it. It is the wait of the service and what the network
 * took, so the usual wait just below it is taken; otherwise two digits of it.
 */
export function roundGap(seconds: number): string {
  const gap = Math.max(seconds, 0);
  const sure = usualWithin(gap, SURELY);
  if (sure !== undefined) return String(sure);
  const whole = Math.round(gap);
  if (gap < 100 && whole > 0 && Math.abs(gap - whole) < gap * 0.005) return String(whole);
  return String(usualWithin(gap, PROBABLY) ?? Number(Number(gap.toPrecision(2)).toFixed(3)));
}
