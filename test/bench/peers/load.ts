// Here, since a module's place decides where its imports are looked for.
export const load = (name: string): Promise<unknown> => import(name);
