import { promisify } from "node:util";
import * as zlib from "node:zlib";

const MAX_BYTES = 1_048_576; // 1 MiB

/** A copy of a body that passes. A large one is dropped. */
export class Capture {
  #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length <= MAX_BYTES) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** `undefined` if the body was too large. */
  bytes(): Buffer | undefined {
    return this.#length <= MAX_BYTES ? Buffer.concat(this.#chunks) : undefined;
  }
}

const options = { maxOutputLength: MAX_BYTES };

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(zlib.gunzip)(bytes, options),
  "x-gzip": (bytes) => promisify(zlib.gunzip)(bytes, options),
  deflate: (bytes) => promisify(zlib.inflate)(bytes, options),
  br: (bytes) => promisify(zlib.brotliDecompress)(bytes, options),
  zstd: (bytes) => promisify(zlib.zstdDecompress)(bytes, options),
};

/** The text of a body that was sent in a content encoding; `undefined` if it cannot be read. */
export async function decodeText(
  bytes: Buffer,
  encoding: string | undefined,
): Promise<string | undefined> {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity" || bytes.length === 0) return bytes.toString("utf8");
  try {
    return (await DECODERS[name]?.(bytes))?.toString("utf8");
  } catch {
    return undefined;
  }
}
