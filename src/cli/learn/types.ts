import { typesOf } from "../../learn/declarations/types.ts";
import { writePublicFile } from "../../learn/profile-file.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { requireValue } from "../input/flag-values.ts";
import { printResult, write } from "../terminal/output.ts";
import { readProfile } from "./read-profile.ts";

/** `malipo learn types FILE [--out malipo.service.d.ts]` */
export async function types({ args: [file = ""], values, json }: Input): Promise<number> {
  const out = requireValue(values, "out");
  const text = typesOf(readProfile(file));
  if (out === "-") {
    write(process.stdout, text);
    return EXIT.ok;
  }
  await writePublicFile(out, text);
  printResult(
    json,
    { out },
    () => `The types are in ${out}. Keep it among the files that you compile.`,
  );
  return EXIT.ok;
}
