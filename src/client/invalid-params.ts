import { InvalidParamsError, type ParamIssue } from "../errors/configuration.ts";
import { isPlainName } from "../internal/check-options.ts";

const describeIssue = ({ path, message }: ParamIssue): string =>
  path.length === 0 ? message : `\`${path.join(".")}\` is invalid: ${message}`;

/** The error for parameters of a call that are wrong, found before anything was sent. */
export function invalidParams(
  call: string,
  issues: readonly ParamIssue[],
  options?: ErrorOptions,
): InvalidParamsError {
  const description = issues.map(describeIssue).join("; ");
  return new InvalidParamsError(`${call}: ${description}. Nothing was sent.`, issues, options);
}

/** The error for one parameter. A name that may be a secret in the wrong place is not shown. */
export function invalidParam(call: string, name: string, message: string): InvalidParamsError {
  return invalidParams(call, [{ path: [isPlainName(name) ? name : "[redacted]"], message }]);
}
