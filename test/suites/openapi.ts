import { createRequire } from "node:module";

/** The parts of a schema that the tests read. */
interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly "x-undocumented"?: boolean;
  readonly "x-key-prefixes"?: unknown;
  readonly "x-scopes"?: unknown;
}

interface Media {
  readonly content: {
    readonly "application/json": { readonly schema: JsonSchema; readonly example?: unknown };
  };
}

export interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security: unknown;
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
  readonly requestBody?: Media;
  readonly responses: { readonly "2XX": Media };
  readonly "x-call": string;
  readonly "x-keys": readonly string[];
  readonly "x-scope": string | null;
  readonly "x-effect": string;
  readonly "x-undocumented"?: readonly string[];
}

/** The parts of the document that the tests read. */
export interface OpenApi extends Record<string, unknown> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: Operation & { readonly requestBody: Media } }>
  >;
  readonly components: Readonly<
    Record<"schemas" | "parameters" | "securitySchemes", Readonly<Record<string, JsonSchema>>>
  >;
}

interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}
interface Ajv {
  addSchema(schema: object, key: string): Ajv;
  compile(schema: object): Validate;
}

// The JSON Schema validator that the OpenAPI validator depends on, loaded from there.
const requireFromValidator = createRequire(
  createRequire(import.meta.url).resolve("@seriousme/openapi-schema-validator"),
);
const load = <T>(name: string): T => requireFromValidator(name).default as T;
const Ajv2020 = load<new (options: object) => Ajv>("ajv/dist/2020.js");
const addFormats = load<(ajv: Ajv) => void>("ajv-formats");

/** The problems of a value. Empty if it matches its schema. */
type Problems = readonly string[];

interface SchemaChecks {
  /** @param path - As in the document: `/payments/{reference}`. */
  request(method: string, path: string, body: unknown): Problems;
  response(method: string, path: string, status: number, body: unknown): Problems;
  event(kind: string, body: unknown): Problems;
}

const KEY = "openapi.json";
const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Checks bodies against the schemas of the document. */
export function schemaChecks(document: OpenApi): SchemaChecks {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(document, KEY);
  const compiled = new Map<string, Validate>();

  function findProblems(pointer: readonly string[], value: unknown): Problems {
    const $ref = `${KEY}#/${pointer.map(escaped).map(encodeURIComponent).join("/")}`;
    const validate = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  const body = ["content", "application/json", "schema"];
  return {
    request: (method, path, value) =>
      findProblems(["paths", path, method.toLowerCase(), "requestBody", ...body], value),
    response: (method, path, status, value) =>
      status < 300
        ? findProblems(["paths", path, method.toLowerCase(), "responses", "2XX", ...body], value)
        : findProblems(["components", "responses", "Failure", ...body], value),
    event: (kind, value) => findProblems(["webhooks", kind, "post", "requestBody", ...body], value),
  };
}
