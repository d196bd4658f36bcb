import { type Html, html } from "../page/html.ts";
import { type Document, type Parameter, resolve, type Schema } from "./openapi.ts";
import { inline } from "./text.ts";

/** Deeper fields are shown by the example. */
const MAX_DEPTH = 3;

export const undocumented = (isMarked: unknown): Html | false =>
  Boolean(isMarked) && html` <span class="tag warn">not documented by the service</span>`;

function typeOf({ type, const: constant, format, items, maxLength }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  const name = [type ?? "any"].flat().join(" or ");
  const of = items?.type === undefined ? "" : ` of ${[items.type].flat().join(" or ")}`;
  const limit = maxLength === undefined ? "" : `, at most ${maxLength} characters`;
  return `${name}${of}${format === undefined ? "" : `, ${format}`}${limit}`;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** Where a parameter goes. */
  readonly place?: string;
}

function fieldRow({ name, schema, isRequired, place }: Field): Html {
  const values = schema["x-extensible-enum"];
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}${place !== undefined && `, in ${place}`}</span>${isRequired && html` <span class="tag">required</span>`}${undocumented(schema["x-undocumented"])}</dt>
<dd>${inline(schema.description ?? "")}${values !== undefined && html` Values: ${values.map((one, index) => html`${index > 0 && ", "}<code>${one}</code>`)}.`}</dd></div>`;
}

/** The fields of a schema, those of objects inside it with their path: `data.reference`. */
function fieldsOf(document: Document, schema: Schema, prefix = "", depth = 1): Field[] {
  const whole = resolve(document, schema);
  return Object.entries(whole.properties ?? {}).flatMap(([key, property]) => {
    const field = resolve(document, property);
    const name = prefix + key;
    const isRequired = whole.required?.includes(key) ?? false;
    const items = field.items && resolve(document, field.items);
    const inner = items?.properties ? items : field;
    const path = items?.properties ? `${name}[].` : `${name}.`;
    return [
      { name, schema: { ...field, ...(items && { items }) }, isRequired },
      ...(depth < MAX_DEPTH ? fieldsOf(document, inner, path, depth + 1) : []),
    ];
  });
}

const list = (fields: readonly Field[]): Html =>
  html`<dl class="fields">${fields.map(fieldRow)}</dl>`;

/** The fields of a body; nothing for one whose fields are not known. */
export function schemaFields(document: Document, schema: Schema | undefined): Html | false {
  const fields = schema === undefined ? [] : fieldsOf(document, schema);
  return fields.length > 0 && list(fields);
}

export function parameterFields(document: Document, parameters: readonly Parameter[]): Html {
  return list(
    parameters.map((one) => {
      const {
        name,
        in: place,
        required,
        description,
        schema = {},
        ...rest
      } = resolve(document, one);
      const marked = rest["x-undocumented"] ?? schema["x-undocumented"];
      return {
        name,
        place: `the ${place}`,
        isRequired: required === true,
        schema: {
          ...schema,
          ...(description !== undefined && { description }),
          ...(marked !== undefined && { "x-undocumented": marked }),
        },
      };
    }),
  );
}
