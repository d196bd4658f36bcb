/** The part of a base64 text that is the same for every position of the secret in what was encoded. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.toString("base64").replace(/={1,2}$/, "");
    // The first and the last characters depend on the neighbours.
    return whole.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}

/** The name of the first secret that a text holds: in clear, in base64, or URL-encoded. */
export function findLeak(
  text: string,
  secrets: readonly (readonly [name: string, secret: string])[],
): string | undefined {
  const isIn = (secret: string) =>
    [secret, encodeURIComponent(secret), ...base64Forms(secret)].some((form) =>
      text.includes(form),
    );
  return secrets.find(([, secret]) => isIn(secret))?.[0];
}
