// Reads a QR code that nothing has damaged: ISO/IEC 18004, versions 1 to 10, level Q, bytes.

/** For each version of level Q: the blocks, and the error-correction codewords of each. */
const BLOCKS = [1, 1, 2, 2, 4, 4, 6, 6, 8, 8];
const CORRECTION = [13, 22, 18, 26, 18, 24, 18, 22, 20, 24];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The modules of an SVG that draws a square of ten units for each dark one, below a border of four. */
function modulesOf(svg: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) / 10 - 8;
  const dark = new Set(
    [...svg.matchAll(/M(\d+),(\d+)h10v10h-10z/g)].map(([, x, y]) => `${x},${y}`),
  );
  const at = (number: number) => (number + 4) * 10;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => dark.has(`${at(x)},${at(y)}`)),
  );
}

/** Where the patterns of alignment are, on both axes. */
function alignmentOf(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const others = Array.from({ length: count - 1 }, (_, at) => version * 4 + 10 - at * step);
  return [6, ...others.reverse()];
}

/** Whether a module is a part of a pattern, and no data. */
function isPattern(version: number, x: number, y: number): boolean {
  const size = version * 4 + 17;
  const isFinder = (x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8);
  const isVersion = version >= 7 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11));
  const places = alignmentOf(version);
  const isAlignment = places.some((px) =>
    places.some((py) => {
      const last = size - 7;
      const isCorner =
        (px === 6 && py === 6) || (px === 6 && py === last) || (px === last && py === 6);
      return !isCorner && Math.abs(px - x) <= 2 && Math.abs(py - y) <= 2;
    }),
  );
  return isFinder || isVersion || isAlignment || x === 6 || y === 6;
}

/** The bits of the data and of its correction, in the order in which they are read. */
function bitsOf(modules: readonly (readonly boolean[])[], version: number): boolean[] {
  const size = modules.length;
  const format = [0, 1, 2, 3, 4, 5, 7].map((x) => modules[8]?.[x]);
  const mask = format.slice(2, 5).reduce((bits, bit) => bits * 2 + Number(bit), 0) ^ 0b101;
  const bits: boolean[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (isPattern(version, x, y)) continue;
        bits.push(modules[y]?.[x] !== MASKS[mask]?.(x, y));
      }
    }
    isUp = !isUp;
  }
  return bits;
}

/** The text in a QR code. */
export function readQrCode(svg: string): string {
  const modules = modulesOf(svg);
  const version = (modules.length - 17) / 4;
  const bits = bitsOf(modules, version);
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + Number(bit), 0),
  );
  const count = BLOCKS[version - 1] ?? 0;
  const data = codewords.length - count * (CORRECTION[version - 1] ?? 0);
  // The first blocks are one codeword shorter. The codewords of all blocks alternate.
  const short = Math.floor(data / count);
  const shorter = count - (data % count);
  const blocks = Array.from({ length: count }, (_, block) => {
    const first = Array.from({ length: short }, (_, at) => codewords[at * count + block] ?? 0);
    const last = codewords[short * count + block - shorter] ?? 0;
    return block < shorter ? first : [...first, last];
  });
  const digits = blocks.flat().map((byte) => byte.toString(16).padStart(2, "0"));
  // Four bits that say "bytes", and the length, of 8 or 16 bits.
  const hex = digits.join("");
  const wide = version > 9 ? 4 : 2;
  const length = Number.parseInt(hex.slice(1, 1 + wide), 16);
  return Buffer.from(hex.slice(1 + wide, 1 + wide + length * 2), "hex").toString();
}
