// The parts of an OpenAPI 3.1 document that the page shows.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly examples?: readonly unknown[];
  readonly "x-extensible-enum"?: readonly string[];
  readonly "x-undocumented"?: unknown;
}

interface Content {
  readonly "application/json"?: { readonly schema?: Schema; readonly example?: unknown };
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly "x-undocumented"?: unknown;
}

export interface Body {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly "x-undocumented"?: readonly string[];
  readonly "x-scope"?: string;
  readonly "x-keys"?: readonly string[];
  readonly "x-effect"?: string;
  readonly "x-call"?: string;
}

/** An operation of the document, and where it is. */
export interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

type Operations = Readonly<Record<string, Operation>>;

export interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Operations>>;
  readonly webhooks?: Readonly<Record<string, Operations>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Follows a reference such as `#/components/schemas/Payment`. What stands beside it stays. */
export function resolve<Part extends { readonly $ref?: string }>(
  { components }: Document,
  part: Part,
): Part {
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(\w+)$/.exec(part.$ref ?? "") ?? [];
  const target = components?.[kind]?.[name];
  if (target === undefined) return part;
  const { $ref: _, ...own } = part;
  return { ...target, ...own } as Part;
}
