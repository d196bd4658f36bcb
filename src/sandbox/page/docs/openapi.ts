import { isObject } from "../../../internal/is-object.ts";

// The parts of an OpenAPI 3.1 document that the page shows, without references.

interface Part {
  readonly description?: string;
  readonly "x-undocumented"?: unknown;
}

export interface Schema extends Part {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly "x-extensible-enum"?: readonly string[];
}

export interface Parameter extends Part {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Body extends Part {
  readonly content?: {
    readonly "application/json"?: { readonly schema?: Schema; readonly example?: unknown };
  };
}

export interface Operation extends Part {
  readonly operationId: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly "x-scope"?: string;
  readonly "x-keys"?: readonly string[];
  readonly "x-effect"?: string;
  readonly "x-call"?: string;
}

type Operations = Readonly<Record<string, Operation>>;

export interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Operations>>;
  readonly webhooks?: Readonly<Record<string, Operations>>;
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** A document with the target in the place of each reference. What stands beside a reference stays. */
export function withoutReferences(document: object): Document {
  const { components = {} } = document as { components?: Components };
  const inline = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inline);
    if (!isObject(part)) return part;
    const { $ref, ...own } = part;
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(\w+)$/.exec(String($ref)) ?? [];
    const whole = { ...components[kind]?.[name], ...own };
    return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inline(value)]));
  };
  return inline({ ...document, components: {} }) as Document;
}
