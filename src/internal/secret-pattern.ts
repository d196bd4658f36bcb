// The ways in which a secret comes back from a service, a proxy or a runtime. Anything else (a hash,
// an encryption, a compression) is not recognised.

/** A character itself, percent-encoded (once or more), or escaped as in JSON. */
function characterPattern(character: string): string {
  const literal = character.replace(/[^\w]/, "\\$&");
  const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
  // The longest form first: a percent sign is also the start of the encoded form.
  return String.raw`(?:%(?:25)*${hex}|\\u00${hex}|${literal})`;
}

const charactersPattern = (text: string): string => [...text].map(characterPattern).join("");

/** A shorter piece stands in other texts by chance. */
const MIN_BASE64_LENGTH = 8;

/**
 * The base64 of a secret inside a longer text. Three bytes become four characters, so there are
 * three forms, by what stands before the secret. Each form has only the characters that depend on
 * nothing but the secret.
 */
export function base64Forms(secret: string): string[] {
  // Old versions of React Native have no btoa.
  if (typeof globalThis.btoa !== "function") return [];
  return [0, 1, 2]
    .map((offset) => {
      const bits = (offset + secret.length) * 8;
      const encoded = globalThis.btoa("\0".repeat(offset) + secret);
      return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    })
    .filter((form) => form.length >= MIN_BASE64_LENGTH);
}

/** Base64, base64url, and base64 in a URL. */
const base64Pattern = (form: string): string =>
  form.replaceAll("+", "(?:[-+]|%2B)").replaceAll("/", "(?:[_/]|%2F)");

/**
 * Finds a secret of ASCII characters in a text, in upper or lower case: unchanged, percent-encoded,
 * escaped as in JSON, and in base64 and base64url.
 */
export function secretPattern(secret: string): RegExp {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = [
    // First: if the secret ends with a backslash, the other form is the start of this one.
    ...(inJson === secret ? [] : [charactersPattern(inJson)]),
    charactersPattern(secret),
    ...base64Forms(secret).map(base64Pattern),
  ];
  return new RegExp(forms.join("|"), "gi");
}
