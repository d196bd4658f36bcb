import { signWebhook } from "../../webhooks/verification/signature.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readBytes } from "../input/files.ts";
import { signingSecret } from "../input/flag-values.ts";
import { printResult } from "../terminal/output.ts";

export async function run({ args: [file], values, json }: Input): Promise<number> {
  const secret = signingSecret(values);
  const body = await readBytes(file);
  const signature = signWebhook(body, secret);
  const signed = { header: "X-Service-Signature", signature, bytes: body.length };
  printResult(json, signed, () => signature);
  return EXIT.ok;
}
