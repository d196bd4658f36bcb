/** The waits that services use, in seconds. */
const USUAL = [
  ...[0.01, 0.02, 0.025, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45],
  ...[60, 90, 120, 180, 240, 300, 480, 600, 900, 1_200, 1_800, 2_400, 2_700, 3_600, 5_400, 7_200],
  ...[10_800, 14_400, 18_000, 21_600, 28_800, 36_000, 43_200, 64_800, 86_400, 172_800, 259_200],
];

const TOLERANCE = 0.12;

/**
 * A wait between two deliveries, as a profile has it: a usual one that is near, since a network makes
 * each wait a little longer; otherwise two digits of it.
 */
export function roundGap(seconds: number): string {
  const gap = Math.max(seconds, 0);
  const distance = (usual: number) => Math.abs(Math.log(gap / usual));
  const near = USUAL.reduce((best, usual) => (distance(usual) < distance(best) ? usual : best));
  if (gap > 0 && distance(near) <= TOLERANCE) return String(near);
  const rounded = Number(gap.toPrecision(2));
  return String(Number(rounded.toFixed(3)));
}
