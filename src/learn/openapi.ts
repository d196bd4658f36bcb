import type { Json } from "../openapi/field-schemas.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { mergeValues, total } from "../profile/merge.ts";
import { findPaging, type ParameterRole } from "../profile/paging.ts";
import { hasType, ROOT } from "../profile/paths.ts";
import { type Place, toTree } from "../profile/place.ts";
import type { ResponseShape, ServiceProfile } from "../profile/profile-types.ts";
import { isAccepted } from "../profile/read.ts";
import { FORMATS } from "../profile/vocabulary/formats.ts";

/** A place as JSON Schema. A field that was always there is required. */
function schemaOf(place: Place | undefined): Json {
  if (place === undefined) return {};
  const types = place.types
    .filter((type) => type !== "text" && type !== "empty")
    .sort()
    .map((type) => (type === "number" && place.formats.join() === "integer" ? "integer" : type));
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...textKeywords(place),
    ...(types.includes("object") && objectKeywords(place)),
    ...(types.includes("array") && { items: schemaOf(place.item) }),
  };
}

function textKeywords({ types, formats, values }: Place): Json {
  const isOne = types.includes("string") && formats.length === 1;
  // Not an enum: the service may have further ones.
  return {
    ...(isOne && FORMATS[formats[0] ?? ""]?.schema),
    ...(values.length > 0 && { examples: values }),
  };
}

function objectKeywords({ fields }: Place): Json {
  const named = fields.filter(({ key }) => key !== "*" && key !== "{field}");
  const required = named.filter(({ seen, of }) => seen === of).map(({ key }) => key);
  const rest = fields.find((one) => !named.includes(one));
  return {
    properties: Object.fromEntries(named.map((one) => [one.key, schemaOf(one)])),
    ...(required.length > 0 && { required }),
    ...(rest && { additionalProperties: schemaOf(rest) }),
  };
}

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => ({ ...(value as Fields) });

const PARAMETERS: Readonly<Record<ParameterRole, readonly [type: string, about: string]>> = {
  size: ["integer", "Number of items on a page."],
  page: ["integer", "Page number."],
  offset: ["integer", "How many items to leave out."],
  cursor: ["string", "The beginning of the page: a value of the page before it."],
};

function responseOf(description: string, { seen, headers, body }: ResponseShape): Json {
  const isJson = !hasType(body, ROOT, "text") && !hasType(body, ROOT, "empty");
  const names = Object.keys(headers).filter((name) => name !== "content-type");
  const fields = names.map((name) => [name, { schema: { type: "string" } }] as const);
  return {
    description,
    "x-seen": total(seen),
    ...(fields.length > 0 && { headers: Object.fromEntries(fields) }),
    ...(isJson && { content: { "application/json": { schema: schemaOf(toTree(body)) } } }),
  };
}

/** The rejections that were seen at an endpoint, by status: several causes with one status are one response. */
function rejectionsAt(profile: ServiceProfile, endpoint: string): Record<string, Json> {
  const found: Record<string, { causes: string[]; response: ResponseShape }> = {};
  for (const [cause, byStatus] of Object.entries(profile.rejections)) {
    for (const [status, response] of Object.entries(byStatus)) {
      const isAt = response.at[endpoint] !== undefined;
      if (!isAt || isAccepted({ status: Number(status), response })) continue;
      const { causes, response: other } = found[status] ?? { causes: [], response };
      const name = cause.replaceAll("_", " ");
      found[status] = { causes: [...causes, name], response: mergeValues(other, response) };
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([status, { causes, response }]) => [
      status,
      responseOf(`Rejected: ${causes.join(", ")}.`, response),
    ]),
  );
}

function parametersOf(profile: ServiceProfile, endpoint: string, given: unknown): Json[] {
  const own = ((given ?? []) as Fields[]).filter(({ $ref }) => $ref === undefined);
  const { parameters } = findPaging(profile, endpoint);
  const learned = Object.entries(parameters).map(([role, name]) => {
    const [type, description] = PARAMETERS[role as ParameterRole];
    return { name, in: "query", schema: { type }, description };
  });
  return [...own, ...learned];
}

function learnedOperation(profile: ServiceProfile, endpoint: string, operation: Fields): Json {
  const seen = Object.entries(profile.endpoints[endpoint] ?? {});
  const hasSuccess = seen.some(([status]) => status.startsWith("2"));
  const assumed = fieldsOf(operation.responses);
  const responses = {
    ...(!hasSuccess && { "2XX": assumed["2XX"] }),
    ...Object.fromEntries(
      seen.map(([status, response]) => [
        status,
        responseOf(status.startsWith("2") ? "The request succeeded." : "It failed.", response),
      ]),
    ),
    ...rejectionsAt(profile, endpoint),
    default: assumed.default,
  };
  if (!hasSuccess) return { ...operation, responses };
  const { "x-undocumented": parts = [], description: _, ...rest } = operation;
  const isList = profile.lists[endpoint] !== undefined;
  const left = (parts as string[]).filter(
    (part) => part !== "response" && !(isList && part === "query"),
  );
  return {
    ...rest,
    ...(left.length > 0 && { "x-undocumented": left }),
    ...(isList && { parameters: parametersOf(profile, endpoint, operation.parameters) }),
    responses,
  };
}

function learnedWebhook(profile: ServiceProfile, kind: string, operation: Fields): Json {
  const event = profile.events[kind];
  if (event === undefined) return operation;
  const schema = schemaOf(toTree(event.body));
  const requestBody = { required: true, content: { "application/json": { schema } } };
  return { ...operation, "x-seen": total(event.seen), requestBody };
}

/**
 * The OpenAPI document of the service with what was learned of it: responses by status, the parameters
 * of lists, and payloads of events. What was not seen stays as the sandbox assumes it, and is marked
 * `x-undocumented`.
 *
 * @param baseUrl - The base URL of the service, with its path prefix.
 */
export function openapiOf(profile: ServiceProfile, baseUrl: string): Json {
  const document = openApiDocument(baseUrl);
  const each = (value: unknown, change: (key: string, one: Fields) => unknown): Json =>
    Object.fromEntries(
      Object.entries(fieldsOf(value)).map(([key, one]) => [key, change(key, fieldsOf(one))]),
    );
  return {
    ...document,
    paths: each(document.paths, (path, operations) =>
      each(operations, (method, operation) =>
        learnedOperation(profile, `${method.toUpperCase()} ${path}`, operation),
      ),
    ),
    webhooks: each(document.webhooks, (kind, { post }) => ({
      post: learnedWebhook(profile, kind, fieldsOf(post)),
    })),
  };
}
