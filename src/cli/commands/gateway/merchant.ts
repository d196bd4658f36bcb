import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { createGateway } from "../../gateway-from-flags.ts";
import { formatBlocks, formatFields, printPage, printResult } from "../../terminal/output.ts";

export async function run(input: Input): Promise<number> {
  const { merchant } = await createGateway(input);
  if (input.subcommand === "payment-accounts") {
    printPage(input.json, await merchant.paymentAccounts(), "No payment accounts.", formatBlocks);
    return EXIT.ok;
  }
  const profile = await merchant.get();
  printResult(input.json, profile, () => formatFields(Object.entries(profile)));
  return EXIT.ok;
}
