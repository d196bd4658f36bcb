import { settingsFrom } from "../../client/settings.ts";
import { isPhoneDigits, phoneDigits } from "../../internal/phone-digits.ts";
import type { Choices } from "../../learn/probe/steps/steps.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { gatewaySettings } from "../gateway-from-flags.ts";
import { readSecret } from "../input/files.ts";

/** What a probe was called with, checked. Nothing was sent. */
export interface ProbeSettings {
  readonly baseUrl: string;
  readonly key: string;
  readonly keyKind: "public" | "secret" | "sandbox";
  readonly publicKey: string | undefined;
  readonly phone: string | undefined;
  readonly choices: Choices;
}

/**
 * Checks the flags that decide what is sent, and with which keys.
 *
 * @throws {CliError} `usage`, and `configuration` for a key or a URL that is missing or cannot be one.
 */
export async function readProbeSettings(input: Input): Promise<ProbeSettings> {
  const { values, switches } = input;
  const { key, kind, baseUrl } = await gatewaySettings(input);
  if (kind === "secret" && !switches.has("live")) {
    throw usageError(
      "This is a secret key (sk_): it acts on the merchant's real account. Nothing was sent. Use a sandbox key (sb_), or add --live if you mean it.",
    );
  }
  const write = switches.has("write");
  const phone = values.prompt === undefined ? undefined : checkPhone(values.prompt);
  if (kind === "public" && (write || phone !== undefined)) {
    throw usageError(
      `A public key (pk_) may only read. Nothing was sent. For --${write ? "write" : "prompt"}, use a sandbox key (sb_).`,
    );
  }
  const file = values["public-key-file"];
  const publicKey = file === undefined ? undefined : checkPublicKey(readSecret(file), file);
  return {
    baseUrl,
    key,
    keyKind: kind,
    publicKey: publicKey ?? (kind === "public" ? key : undefined),
    phone,
    choices: {
      write,
      prompt: phone !== undefined,
      hasPublicKey: publicKey !== undefined || kind === "public",
      isPublic: kind === "public",
    },
  };
}

function checkPhone(phone: string): string {
  if (isPhoneDigits(phoneDigits(phone))) return phone;
  throw usageError(
    "--prompt must be a phone number of 9 to 15 digits, such as 0712345678. Nothing was sent.",
  );
}

function checkPublicKey(key: string, file: string): string {
  const { kind } = settingsFrom({ apiKey: key, baseUrl: "https://service.invalid/v1" });
  if (kind === "public") return key;
  throw usageError(
    `--public-key-file must hold a public key (pk_); ${file} holds a ${kind} key. Nothing was sent.`,
  );
}
