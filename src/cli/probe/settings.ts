import { settingsFrom } from "../../client/settings.ts";
import { isPhoneDigits, phoneDigits } from "../../internal/phone-digits.ts";
import type { Choices } from "../../learn/probe/steps/steps.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { gatewaySettings } from "../gateway-from-flags.ts";
import { readSecret } from "../input/files.ts";

/** What a probe was called with, checked. Nothing was sent. */
export interface ProbeSettings extends Choices {
  readonly baseUrl: string;
  readonly key: string;
}

/**
 * Checks the flags that decide what is sent, and with which keys.
 *
 * @throws {CliError} `usage`, and `configuration` for a key or a URL that is missing or cannot be one.
 */
export async function readProbeSettings(input: Input): Promise<ProbeSettings> {
  const { switches } = input;
  const { prompt: phone, "public-key-file": file } = input.values;
  const { key, kind, baseUrl } = await gatewaySettings(input);
  const isPublic = kind === "public";
  const write = switches.has("write");
  if (kind === "secret" && !switches.has("live")) {
    throw usageError(
      "This is a secret key (sk_): it acts on the merchant's real account. Nothing was sent. Use a sandbox key (sb_), or add --live if you mean it.",
    );
  }
  if (phone !== undefined && !isPhoneDigits(phoneDigits(phone))) {
    throw usageError(
      "--prompt must be a phone number of 9 to 15 digits, such as 0712345678. Nothing was sent.",
    );
  }
  if (isPublic && (write || phone !== undefined)) {
    throw usageError(
      `A public key (pk_) may only read. Nothing was sent. For --${write ? "write" : "prompt"}, use a sandbox key (sb_).`,
    );
  }
  const publicKey = file === undefined ? (isPublic ? key : undefined) : readSecret(file);
  const publicKind = publicKey && settingsFrom({ apiKey: publicKey, baseUrl }).kind;
  if (publicKind !== undefined && publicKind !== "public") {
    throw usageError(
      `--public-key-file must hold a public key (pk_); ${file} holds a ${publicKind} key. Nothing was sent.`,
    );
  }
  return { baseUrl, key, keyKind: kind, publicKey, phone, write };
}
