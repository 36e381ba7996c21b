/** The merchant's SDK for Node.js: start payments, check messages, verify payments. */

export { Callbacks, type CallbackOptions, type Notification, type Return } from "./callbacks.js";
export type { GatewayOptions, Scope } from "./calls.js";
export { Client, refundError } from "./client.js";
export { Credentials, type CredentialValues } from "./credentials.js";
export {
  ConfigurationError,
  HundiError,
  InvalidRequestError,
  OutcomeUnknownError,
  RefusedError,
  TransportError,
  UntrustedError,
  type ErrorKind,
  type Retry,
} from "./errors.js";
export { Events, type EventName } from "./events.js";
export { PaymentForm } from "./form.js";
export { Transaction, type Expected } from "./transaction.js";
export { amountText, paise } from "./writer.js";
export type * from "./operations.js";
