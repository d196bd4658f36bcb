import type { ServiceProfile } from "../../profile/types.ts";
import { fieldLines } from "./field-type.ts";
import { type Learned, learnedEvents, learnedResources } from "./sources.ts";

const HEADER = `// Learned from your service. Written by \`npx malipo learn types\`: do not edit it, learn again.
// A field that was not always there is optional.`;

function moduleText(module: string, learned: readonly Learned[]): string[] {
  const interfaces = learned.flatMap(({ name, fields }) => {
    const lines = fieldLines(fields, "    ");
    return lines.length === 0 ? [] : [`  interface ${name} {\n${lines.join("\n")}\n  }`];
  });
  if (interfaces.length === 0) return [];
  return [`import "${module}";\n\ndeclare module "${module}" {\n${interfaces.join("\n\n")}\n}`];
}

/**
 * What was learned of a service as TypeScript: the text of `malipo.service.d.ts`, which widens
 * `Merchant`, `Invoice`, `Payment` and the others, as `npx malipo learn types` writes it.
 */
export function typesOf(profile: ServiceProfile): string {
  const modules = [
    ...moduleText("malipo", learnedResources(profile)),
    ...moduleText("malipo/webhooks", learnedEvents(profile)),
  ];
  // Without an import or an export, a file would replace the modules that it names.
  return `${[HEADER, ...(modules.length > 0 ? modules : ["export {};"])].join("\n\n")}\n`;
}
