import { EVENT_KINDS } from "../../contract/events.ts";
import { ROOT } from "../../profile/paths.ts";
import type { ServiceProfile, Shape } from "../../profile/types.ts";
import { fieldLines } from "./field-type.ts";
import { resourceShape, shapeAt } from "./resource-shape.ts";
import { EVENT_SOURCES, RESOURCE_SOURCES } from "./sources.ts";

const HEADER = `// Learned from your service. Written by \`npx malipo learn types\`: do not edit it, learn again.
// A field that was not always there is optional.`;

function interfaceText(name: string, shape: Shape, declared: readonly string[]): string[] {
  // The interface takes any other field already.
  const lines = fieldLines(shape, ROOT, "    ", [...declared, "*"]);
  return lines.length === 0 ? [] : [`  interface ${name} {\n${lines.join("\n")}\n  }`];
}

function moduleText(module: string, interfaces: readonly string[]): string[] {
  if (interfaces.length === 0) return [];
  return [`import "${module}";\n\ndeclare module "${module}" {\n${interfaces.join("\n\n")}\n}`];
}

/**
 * What was learned of a service as TypeScript: the text of `malipo.service.d.ts`, which widens
 * `Merchant`, `Invoice`, `Payment` and the others, as `npx malipo learn types` writes it.
 */
export function typesOf(profile: ServiceProfile): string {
  const resources = RESOURCE_SOURCES.flatMap(({ name, endpoints, declared }) =>
    interfaceText(name, resourceShape(profile, endpoints), declared),
  );
  const events = EVENT_KINDS.flatMap((kind) => {
    const body = profile.events[kind]?.body;
    const { name, declared } = EVENT_SOURCES[kind];
    return body === undefined ? [] : interfaceText(name, shapeAt(body, "data"), declared);
  });
  const modules = [...moduleText("malipo", resources), ...moduleText("malipo/webhooks", events)];
  // Without an import or an export, a file would replace the modules that it names.
  return `${[HEADER, ...(modules.length > 0 ? modules : ["export {};"])].join("\n\n")}\n`;
}
