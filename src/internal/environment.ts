interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** An environment variable; `undefined` where it is not set, is empty, or cannot be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as Runtime).process?.env?.[name] || undefined;
  } catch {
    // Deno throws where the program has no permission to read the environment.
    return undefined;
  }
}
