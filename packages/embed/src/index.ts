export type { Calls, TransactionalCalls } from "./Calls.js"
export { createSurety, toNodeHandler } from "./createSurety.js"
export type { ProviderCall } from "./facade/verifications.js"
export type { Health } from "./Health.js"
export type { NodeHandler } from "./handler/nodeHandler.js"
export type { HostConsentNotification, HostConsentNotifier } from "./host/HostConsentNotifier.js"
export type { HostDirectory, HostPerson } from "./host/HostDirectory.js"
export type {
  HostKycAbout,
  HostKycAction,
  HostKycCallback,
  HostKycCalled,
  HostKycChecks,
  HostKycOutcome
} from "./host/HostKycAnswers.js"
export type { HostKycCase, HostKycEvidence, HostKycPolicy, HostKycVerdict } from "./host/HostKycPolicy.js"
export {
  type HostKycCapabilities,
  type HostKycProvider,
  type HostKycQuery,
  type HostKycRoutes,
  type HostKycSubmission,
  NotSubmitted
} from "./host/HostKycProvider.js"
export type { HostLogger, LogLine } from "./host/HostLogger.js"
export type { HostHeldPerson, HostPersonData } from "./host/HostPersonData.js"
export type { HostRateLimit, HostRateLimiter, HostRateVerdict } from "./host/HostRateLimiter.js"
export type { HostSignIn } from "./host/HostSignIn.js"
export type {
  HostCredit,
  HostCreditKnowledge,
  HostCreditOutcome,
  HostCreditQuery,
  HostWallet
} from "./host/HostWallet.js"
export type { HostError, OnError } from "./host/onHostError.js"
export { InvalidOptions } from "./InvalidOptions.js"
export { InvalidInput, type Outcome, unwrap } from "./Outcome.js"
export type { Surety, TransactionalSurety } from "./Surety.js"
export type { RateLimitOptions, RateOption, RetentionOptions, SuretyOptions } from "./SuretyOptions.js"
export { embeddedStore } from "./store/embeddedStore.js"
export { type HostStore, StoreNotOpened, type TransactionalStore } from "./store/HostStore.js"
export { memoryStore } from "./store/memoryStore.js"
export { postgresStore } from "./store/postgresStore.js"
