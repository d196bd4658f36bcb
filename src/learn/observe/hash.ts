/** A hash of 53 bits, to see whether two texts are alike. It stays in memory, in no profile. */
export function hashText(text: string): number {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return (a >>> 0) * 2_097_152 + ((b >>> 0) & 0x1fffff);
}
