/** Payments by Hundi for Vendure. */

export { hundiHandler } from "./handler.js";
export { HundiPlugin } from "./plugin.js";
export type { HundiOptions, Outcome } from "./options.js";
