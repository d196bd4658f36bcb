import type { Context, Input, InputOf, Result } from "./inputs.ts";
import type { OrderState } from "./order-state.ts";

export type Given<F, Out> = (order: OrderState, input: F, context: Context) => Out;

/** Of the rules for an input, the first one that applies decides. */
export interface Rule<F extends Input = Input> {
  readonly name: string;
  /** The promises of the manual that it keeps. */
  readonly promises: readonly number[];
  readonly applies: Given<F, boolean>;
  readonly makes: Given<F, OrderState | Result>;
}

export type Rules = { readonly [Kind in Input["kind"]]: readonly Rule<InputOf<Kind>>[] };

export const rule = <F extends Input>(
  name: string,
  promises: readonly number[],
  applies: Given<F, boolean>,
  makes: Given<F, OrderState | Result>,
): Rule<F> => ({ name, promises, applies, makes });

export const always = () => true;
export const unchanged = (order: OrderState) => order;
/** The caller is told that it is not possible. */
export const refused = (order: OrderState): Result => ({ order, actions: [], isRefused: true });
