import { signWebhook } from "../../webhooks/verification/signature.ts";
import type { Input } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { readBytes } from "../input/files.ts";
import { secretOf } from "../input/values.ts";
import { result } from "../terminal/output.ts";

export async function run({ args: [file], text, json }: Input): Promise<number> {
  const secret = secretOf(text.secret);
  const body = await readBytes(file);
  const signature = signWebhook(body, secret);
  const signed = { header: "X-Service-Signature", signature, bytes: body.length };
  result(json, signed, () => signature);
  return EXIT.ok;
}
