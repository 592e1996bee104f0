export { amountOf, amountOfMinor, minorOf } from "./Amount.js"
export { Aborted, CallError, type CallReport, ConnectionFailed, TimedOut, UnexpectedAnswer } from "./CallError.js"
export type { ClientOptions, Retry } from "./ClientOptions.js"
export type { Call } from "./call/Call.js"
export type { CallOptions, KeyedCallOptions } from "./call/CallOptions.js"
export type { Reply } from "./call/send.js"
export { StillPending, type WaitOptions } from "./call/waitUntilSettled.js"
export { type Client, createClient } from "./createClient.js"
export type { Answered, Body, OperationId, Query } from "./Given.js"
export type * from "./Interface.generated.js"
export { isKnownProblem } from "./isKnownProblem.js"
export type { List, Page } from "./List.js"
export * from "./Problems.generated.js"
export type { Account } from "./resources/account.js"
export type { DataRequests } from "./resources/dataRequests.js"
export type { Events } from "./resources/events.js"
export type { IdentityQuery, IdentityReading } from "./resources/identity.js"
export type { Refunds } from "./resources/refunds.js"
export type { Requests } from "./resources/requests.js"
export type { TestHelpers } from "./resources/testHelpers.js"
export type { Verifications } from "./resources/verifications.js"
export {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  ServerFailure,
  ServiceProblem,
  TooManyRequests,
  Unauthorized
} from "./ServiceProblem.js"
export { SuretyError, UsageError } from "./SuretyError.js"
