import { InvalidParamsError } from "../errors/configuration.ts";

/** The error for one parameter of a call that is wrong, found before anything was sent. */
export function invalidParam(call: string, name: string, message: string): InvalidParamsError {
  return new InvalidParamsError(`${call}: \`${name}\` is invalid: ${message}. Nothing was sent.`, [
    { path: [name], message },
  ]);
}
