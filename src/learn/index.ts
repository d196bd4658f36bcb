/**
 * Learns how a payment service behaves, as a profile of shapes.
 *
 * @module malipo/learn
 */

export { ConfigurationError } from "../errors/configuration.ts";
export type { ProfileFile as ServiceProfile } from "../profile/profile-types.ts";
export { createObserver, type Observer, type ObserverOptions } from "./observer.ts";
export { mergeProfiles, parseProfile } from "./profile-file.ts";
