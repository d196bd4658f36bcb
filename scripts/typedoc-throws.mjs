import { Converter, ReflectionKind } from "typedoc";

/**
 * Prints the error class of `@throws {SomeError} when ...`, with a link to it. TypeDoc keeps the class
 * beside the text, and the markdown theme prints the text only.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  // After TypeDoc has resolved the links: these know their target.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => nameErrors(project), -1_000);
}

/** @param {import("typedoc").ProjectReflection} project */
function nameErrors(project) {
  const classes = new Map(
    project.getReflectionsByKind(ReflectionKind.Class).map((one) => [one.name, one]),
  );
  for (const { comment } of Object.values(project.reflections)) {
    for (const tag of comment?.blockTags ?? []) {
      const name = tag.typeAnnotation?.replace(/[{}]/g, "").trim();
      if (tag.tag !== "@throws" || !name) continue;
      delete tag.typeAnnotation;
      const target = classes.get(name);
      const error =
        target === undefined
          ? { kind: "code", text: `\`${name}\`` }
          : { kind: "inline-tag", tag: "@link", text: name, target };
      tag.content = [error, { kind: "text", text: " " }, ...tag.content];
    }
  }
}
