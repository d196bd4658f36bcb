import { promisify } from "node:util";
import * as zlib from "node:zlib";

const MAX_BYTES = 1_048_576; // 1 MiB

/** A copy of a body that passes. A large one is dropped. */
export class Capture {
  #chunks: Buffer[] = [];
  length = 0;

  readonly add = (chunk: Buffer): void => {
    this.length += chunk.length;
    if (this.length <= MAX_BYTES) this.#chunks.push(chunk);
    else this.#chunks = [];
  };

  /** `undefined` if the body was too large. */
  bytes(): Buffer | undefined {
    return this.length <= MAX_BYTES ? Buffer.concat(this.#chunks) : undefined;
  }
}

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  identity: async (bytes) => bytes,
  gzip: promisify(zlib.gunzip),
  "x-gzip": promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
};

/** The text of a body that was sent in a content encoding; `undefined` if it cannot be read. */
export async function decodeText(bytes: Buffer, encoding = ""): Promise<string | undefined> {
  const name = bytes.length === 0 ? "" : encoding.trim().toLowerCase();
  const decoded = DECODERS[name || "identity"]?.(bytes, { maxOutputLength: MAX_BYTES });
  return decoded?.then(String, () => undefined);
}
