import { isObject } from "../../internal/is-object.ts";
import { idText } from "../../internal/json.ts";

export interface PaymentInBody {
  /** `undefined` if only its prompt is named, or if the reference cannot be used. */
  readonly reference: string | undefined;
}

/** The payment that a body names by a reference or by a prompt; `undefined` if it names none. */
export function paymentIn(body: unknown): PaymentInBody | undefined {
  const data = isObject(body) && isObject(body.data) ? body.data : body;
  if (!isObject(data)) return undefined;
  const { reference, checkout_request_id } = data;
  const isNamed = [reference, checkout_request_id].some(
    (id) => typeof id === "number" || idText(id) !== undefined,
  );
  return isNamed ? { reference: idText(reference) } : undefined;
}
