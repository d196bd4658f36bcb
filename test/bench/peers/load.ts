// It is in this folder because imports are resolved from the folder of a module.
export const load = (name: string): Promise<unknown> => import(name);
