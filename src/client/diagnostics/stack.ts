import { GatewayError } from "../../errors/base.ts";

/**
 * Waits for a result. An error of a call is made in a callback of `fetch` or of a timer, from where
 * its stack leads nowhere. From here it leads through each `await` to the caller's own file.
 */
export async function withStack<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    try {
      if (error instanceof GatewayError) Error.captureStackTrace?.(error);
    } catch {
      // A hook has frozen it.
    }
    throw error;
  }
}
