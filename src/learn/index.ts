/**
 * Learns how a payment service behaves, as a profile of shapes.
 *
 * @module malipo/learn
 */

export { ConfigurationError } from "../errors/configuration.ts";
export type { RefusalCause } from "../profile/causes.ts";
export { mergeProfiles } from "../profile/merge.ts";
export { parseProfile } from "../profile/parse.ts";
export type {
  Counts,
  DeliveryFacts,
  EventShape,
  FieldShape,
  HeaderShape,
  ListFacts,
  RedeliveryFacts,
  RefusalShape,
  ResponseShape,
  Run,
  ServiceProfile,
  Shape,
} from "../profile/types.ts";
export { createObserver, type Observer, type ObserverOptions } from "./observer.ts";
