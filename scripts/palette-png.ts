import { crc32, deflateSync, inflateSync } from "node:zlib";

// A picture of a page has few colours. With a palette of 256, a PNG of it is a third of its size.

const MAX_COLOURS = 256;
const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

interface Picture {
  readonly width: number;
  readonly height: number;
  /** One number a pixel: 0xrrggbb. */
  readonly pixels: Uint32Array;
}

/** A colour and how many pixels have it. */
type Colour = readonly [rgb: number, count: number];

/** Makes a PNG of a browser's screenshot smaller: 8 bits for a pixel instead of 24. */
export function withPalette(png: Buffer): Buffer {
  const picture = decode(png);
  const counts = new Map<number, number>();
  for (const rgb of picture.pixels) counts.set(rgb, (counts.get(rgb) ?? 0) + 1);
  const palette: number[] = [];
  const indexes = new Map<number, number>();
  for (const box of boxesOf([...counts])) {
    const [common = 0] = box.toSorted((one, other) => other[1] - one[1])[0] ?? [];
    for (const [rgb] of box) indexes.set(rgb, palette.length);
    // The colour that most pixels have, not the mean: a plain background keeps its exact colour.
    palette.push(common);
  }
  return encode(picture, palette, indexes);
}

const channel = (rgb: number, shift: number) => (rgb >> shift) & 255;

/** In which channel the colours of a box differ most, and by how much. */
function widest(box: readonly Colour[]): { shift: number; range: number } {
  const ranges = [16, 8, 0].map((shift) => {
    const values = box.map(([rgb]) => channel(rgb, shift));
    const min = values.reduce((one, other) => Math.min(one, other), 255);
    const max = values.reduce((one, other) => Math.max(one, other), 0);
    return { shift, range: max - min };
  });
  return ranges.reduce((one, other) => (other.range > one.range ? other : one));
}

/** Splits the colours until there are enough boxes: the widest and most common ones first. */
function boxesOf(colours: Colour[]): Colour[][] {
  const measure = (box: Colour[]) => {
    const { shift, range } = widest(box);
    const pixels = box.reduce((sum, [, count]) => sum + count, 0);
    return { box, shift, weight: range * range * Math.sqrt(pixels) };
  };
  const boxes = [measure(colours)];
  while (boxes.length < MAX_COLOURS) {
    boxes.sort((one, other) => one.weight - other.weight);
    const { box, shift, weight } = boxes.at(-1) ?? { box: [], shift: 0, weight: 0 };
    if (weight === 0) break;
    boxes.pop();
    const sorted = box.toSorted(([one], [other]) => channel(one, shift) - channel(other, shift));
    const middle = middleOf(sorted, shift);
    boxes.push(measure(sorted.slice(0, middle)), measure(sorted.slice(middle)));
  }
  return boxes.map(({ box }) => box);
}

/** Where a sorted box is split: at half of its range. */
function middleOf(sorted: readonly Colour[], shift: number): number {
  const values = sorted.map(([rgb]) => channel(rgb, shift));
  const half = ((values[0] ?? 0) + (values.at(-1) ?? 0)) / 2;
  return values.findIndex((value) => value > half);
}

function decode(png: Buffer): Picture {
  const data: Buffer[] = [];
  let [width, height, bytes] = [0, 0, 3];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
      bytes = content[9] === 6 ? 4 : 3;
    }
    if (type === "IDAT") data.push(content);
    at += length + 12;
  }
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * bytes, height, bytes);
  const pixels = Uint32Array.from({ length: width * height }, (_, index) =>
    rows.readUIntBE(index * bytes, 3),
  );
  return { width, height, pixels };
}

/** Undoes the filters of PNG: each byte is stored as its difference to the bytes around it. */
function unfilter(data: Buffer, rowLength: number, height: number, bytes: number): Buffer {
  const rows = Buffer.alloc(rowLength * height);
  for (let row = 0; row < height; row++) {
    const filter = data[row * (rowLength + 1)];
    for (let column = 0; column < rowLength; column++) {
      const at = row * rowLength + column;
      const left = column < bytes ? 0 : (rows[at - bytes] ?? 0);
      const up = row === 0 ? 0 : (rows[at - rowLength] ?? 0);
      const corner = row === 0 || column < bytes ? 0 : (rows[at - rowLength - bytes] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      rows[at] = (data[row * (rowLength + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(estimate - one));
  if ((toLeft ?? 0) <= (toUp ?? 0) && (toLeft ?? 0) <= (toCorner ?? 0)) return left;
  return (toUp ?? 0) <= (toCorner ?? 0) ? up : corner;
}

function encode(
  { width, height, pixels }: Picture,
  palette: readonly number[],
  indexes: ReadonlyMap<number, number>,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const index = indexes.get(pixels[row * width + column] ?? 0) ?? 0;
      rows[row * (width + 1) + 1 + column] = index;
    }
  }
  const colours = Buffer.from(palette.flatMap((rgb) => [16, 8, 0].map((one) => channel(rgb, one))));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
