export { type Answer, createHandler, type Handler, type HandlerOptions, type Outcome } from "./createHandler.js"
export type { Claim, DedupeStore } from "./DedupeStore.js"
export type { HeaderFields } from "./HeaderFields.js"
export { type MemoryStoreOptions, memoryStore } from "./memoryStore.js"
export type { RawBody } from "./RawBody.js"
export type { ReceivableBody } from "./readBody.js"
export type { Secrets } from "./Secrets.js"
export type { Failure, FailureReason, VerifyInput } from "./Verification.js"
export { type Verification, verify } from "./verify.js"
export { type ServiceSignatureInput, verifyServiceSignature } from "./verifyServiceSignature.js"
export { type SignedDelivery, verifySignature } from "./verifySignature.js"
export type {
  ConsentGranted,
  DataRequestApproved,
  DataRequestDenied,
  Environment,
  KnownEvent,
  Payloads,
  RefundCompleted,
  Topic,
  TransactionSettled,
  UnknownEvent,
  WebhookEvent
} from "./WebhookEvent.js"
