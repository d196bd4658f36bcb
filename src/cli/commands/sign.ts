import { signWebhook } from "../../webhooks/verification/signature.ts";
import type { Input, Output } from "../command.ts";
import { readBytes } from "../input/files.ts";
import { signingSecret } from "../input/flag-values.ts";

export async function run({ args: [file], values }: Input): Promise<Output> {
  const secret = signingSecret(values);
  const body = await readBytes(file);
  const signature = signWebhook(body, secret);
  const value = { header: "X-Service-Signature", signature, bytes: body.length };
  return { value, text: () => signature };
}
