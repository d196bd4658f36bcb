/** The bytes of a stored text. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text of verified bytes, which is encoded as the same bytes again: a byte order mark stays. */
export const exactText = (raw: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw);
