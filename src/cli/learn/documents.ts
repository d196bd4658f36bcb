import type { FlagsOf } from "../../internal/flags.ts";
import { typesOf } from "../../learn/declarations.ts";
import { openapiOf } from "../../learn/openapi.ts";
import { writePublicFile } from "../../learn/profile-file.ts";
import { ASSUMPTIONS } from "../../sandbox/assumptions.ts";
import type { Input, Output } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { BASE_URL } from "../flags/common.ts";
import type { LEARN_TYPES } from "../flags/learn.ts";
import { pathOf } from "../input/files.ts";
import { parseUrl, requireValue } from "../input/flag-values.ts";
import { write } from "../terminal/output.ts";
import { readProfile } from "./profile-arguments.ts";

/** `malipo learn types FILE [--out malipo.service.d.ts]` */
export async function types({
  args: [file = ""],
  flags,
  io,
}: Input<FlagsOf<typeof LEARN_TYPES>>): Promise<Output | number> {
  const out = requireValue(flags, "out");
  const text = typesOf(readProfile(io, file));
  if (out === "-") {
    write(io.stdout, text);
    return EXIT.ok;
  }
  await writePublicFile(pathOf(io, out), text);
  const done = `The types are in ${out}. Keep it among the files that you compile.`;
  return { value: { out }, text: () => done };
}

const { port, prefix } = ASSUMPTIONS.address.value;
const SANDBOX_URL = `http://127.0.0.1:${port}${prefix}`;

/** `malipo learn openapi FILE` */
export async function openapi({
  args: [file = ""],
  flags,
  io,
}: Input<FlagsOf<typeof BASE_URL>>): Promise<Output> {
  const given = flags["base-url"] ?? io.env.MALIPO_BASE_URL ?? SANDBOX_URL;
  const url = parseUrl(given, "--base-url").href.replace(/\/{1,9}$/, "");
  const document = openapiOf(readProfile(io, file), url);
  return { value: document, text: () => JSON.stringify(document, null, 2) };
}
