import { signWebhook } from "../../webhooks/signature.ts";
import { EXIT } from "../exit-codes.ts";
import { readBytes } from "../files.ts";
import { result } from "../output.ts";
import type { Input } from "../table.ts";
import { secretOf } from "../values.ts";

export async function run({ args: [file], text, json }: Input): Promise<number> {
  const secret = secretOf(text.secret);
  const body = await readBytes(file);
  const signature = signWebhook(body, secret);
  const signed = { header: "X-Service-Signature", signature, bytes: body.length };
  result(json, signed, () => signature);
  return EXIT.ok;
}
