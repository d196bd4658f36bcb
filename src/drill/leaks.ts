/** What must not be printed or answered, and how a message calls it. */
export interface Secret {
  readonly name: string;
  readonly text: string;
}

/** The part of a base64 text that is the same wherever the secret begins in what was encoded. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.toString("base64").replace(/=+$/, "");
    // The first and the last characters depend on the neighbours.
    const first = Math.ceil((offset * 8) / 6);
    return whole.slice(first, Math.floor((bytes.length * 8) / 6));
  });
}

const formsOf = (text: string): string[] => [text, encodeURIComponent(text), ...base64Forms(text)];

/** The first secret that a text holds: in clear, in base64, or URL-encoded. */
export function findLeak(text: string, secrets: readonly Secret[]): Secret | undefined {
  return secrets.find((secret) => formsOf(secret.text).some((form) => text.includes(form)));
}
