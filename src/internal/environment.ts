interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  readonly Deno?: {
    readonly permissions?: {
      querySync?(permission: { name: "env"; variable: string }): { readonly state: string };
    };
  };
}

/** An environment variable; `undefined` if it is not set, is empty, or cannot be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as Runtime).process?.env?.[name] || undefined;
  } catch {
    // Deno throws if the program has no permission to read the environment.
    return undefined;
  }
}

/** The same for a variable that few programs need: Deno must not stop and ask its user for it. */
export function allowedEnvironmentVariable(name: string): string | undefined {
  const { permissions } = (globalThis as Runtime).Deno ?? {};
  const state = permissions?.querySync?.({ name: "env", variable: name }).state ?? "granted";
  return state === "granted" ? environmentVariable(name) : undefined;
}
