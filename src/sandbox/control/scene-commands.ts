import { ConfigurationError } from "../../errors/configuration.ts";
import type { Scenes } from "../http/respond.ts";
import type { Sandbox, SandboxSnapshot } from "../sandbox-types.ts";
import { type Command, type CommandContext, defineCommand } from "./define-command.ts";

const MAX_SCENES = 50;

function sceneIn(scenes: Scenes, name: string) {
  const scene = scenes.get(name);
  if (scene !== undefined) return scene;
  const names = [...scenes.keys()].map((one) => JSON.stringify(one)).join(", ") || "none";
  throw new ConfigurationError(
    `There is no scene ${JSON.stringify(name)}. The scenes are: ${names}.`,
  );
}

function saveScene({ sandbox, scenes }: CommandContext, name: string): void {
  if (!/^[\w .-]{1,40}$/.test(name)) {
    throw new ConfigurationError(
      "The name of a scene must have 1 to 40 letters, digits, spaces, dots or hyphens.",
    );
  }
  if (!scenes.has(name) && scenes.size >= MAX_SCENES) {
    throw new ConfigurationError(`There are ${MAX_SCENES} scenes already. Remove one first.`);
  }
  scenes.set(name, { savedAt: sandbox.clock.now().toISOString(), snapshot: sandbox.snapshot() });
}

function reset(sandbox: Sandbox, keepReceivers: boolean): void {
  const { webhooks } = sandbox.snapshot();
  sandbox.reset();
  if (keepReceivers) sandbox.restore({ ...sandbox.snapshot(), webhooks });
}

export const SCENE_COMMANDS = {
  "scenes/save": defineCommand({
    summary: "Saves the whole state under a name, until the sandbox stops.",
    path: "/scenes/{name}/save",
    fields: ["name"],
    act: (context, { name }) => {
      saveScene(context, name);
      return { name };
    },
    message: ({ name }) => `The scene ${name} is saved.`,
  }),
  "scenes/load": defineCommand({
    summary: "Returns to a saved state.",
    path: "/scenes/{name}/load",
    removes: true,
    fields: ["name"],
    act: ({ sandbox, scenes }, { name }) => {
      sandbox.restore(sceneIn(scenes, name).snapshot);
      return { name };
    },
    message: ({ name }) => `The scene ${name} is loaded.`,
  }),
  "scenes/remove": defineCommand({
    summary: "Removes a saved state.",
    path: "/scenes/{name}/remove",
    removes: true,
    fields: ["name"],
    act: ({ scenes }, { name }) => {
      sceneIn(scenes, name);
      scenes.delete(name);
      return { name };
    },
    message: ({ name }) => `The scene ${name} is removed.`,
  }),
  restore: defineCommand({
    summary: "Replaces the whole state by a snapshot.",
    path: "/restore",
    removes: true,
    fields: ["snapshot"],
    required: ["snapshot"],
    example: { snapshot: {} },
    act: ({ sandbox }, { snapshot }) => {
      sandbox.restore(snapshot as SandboxSnapshot);
      return {};
    },
    message: () => "The state is replaced.",
  }),
  reset: defineCommand({
    summary: "Deletes everything: the sandbox is as it was at its start.",
    path: "/reset",
    removes: true,
    fields: ["keep_receivers", "save_as"],
    example: { keep_receivers: true },
    act: (context, { keep_receivers, save_as: scene }) => {
      if (scene !== "") saveScene(context, scene);
      reset(context.sandbox, keep_receivers);
      return { ...(scene !== "" && { scene }) };
    },
    message: ({ scene }: { scene?: string }) =>
      scene === undefined
        ? "The sandbox was reset."
        : `The sandbox was reset. To undo it, load the scene “${scene}”.`,
  }),
} as const satisfies Record<string, Command>;
