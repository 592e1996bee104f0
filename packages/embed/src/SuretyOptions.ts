import type { RouteAccess } from "@surety/http/HttpSettings"
import type { Tracer } from "effect"
import type { HostConsentNotifier } from "./host/HostConsentNotifier.js"
import type { HostDirectory } from "./host/HostDirectory.js"
import type { HostKycPolicy } from "./host/HostKycPolicy.js"
import type { HostKycProvider, HostKycRoutes } from "./host/HostKycProvider.js"
import type { HostLogger } from "./host/HostLogger.js"
import type { OperatorOf } from "./host/HostOperators.js"
import type { HostPersonData } from "./host/HostPersonData.js"
import type { HostRateLimiter } from "./host/HostRateLimiter.js"
import type { HostSignIn } from "./host/HostSignIn.js"
import type { HostWallet } from "./host/HostWallet.js"
import type { OnError } from "./host/onHostError.js"
import type { HostStore } from "./store/HostStore.js"
import type { TelemetryOptions } from "./telemetry/Telemetry.js"

/** Requests per second, and the burst after a pause; or no limit. */
export type RateOption = { readonly perSecond: number; readonly burst: number } | "off"

/** Limits for HTTP clients. The host's own calls are not limited. */
export interface RateLimitOptions {
  /** `POST /v1/refunds`, for each merchant and environment. Default: 100 a second, 200 at once. */
  readonly refunds?: RateOption
  /** Every other route below `/v1`, for each merchant and environment. Default: 500 a second, 1,000 at once. */
  readonly other?: RateOption
  /**
   * `/merchants…` and failed authentication, for each address. Default: no limit. `handler` sees no addresses, so all
   * clients share one bucket there.
   */
  readonly provisioning?: RateOption
}

/** An operator with their own token. */
export interface OperatorOptions {
  /** Recorded with each of the operator's changes. Not `operator`. */
  readonly name: string
  /** `viewer` reads, `support` also decides for people, `money` also moves money, `admin` may do everything. */
  readonly role: "viewer" | "support" | "money" | "admin"
  /** The SHA-256 of its token, in lower-case hex. */
  readonly tokenHash: string
}

/** How often one merchant may ask one person in LIVE. 0 is no bound. */
export interface ConsentAskOptions {
  /** Pending requests at a time. Default: 5. */
  readonly open?: number
  /** New requests in 24 hours. Default: 10. */
  readonly perDay?: number
  /** How long after a denial a merchant may not repeat the request: same fields, same purpose. Default: 24 hours. */
  readonly againAfterSeconds?: number
}

/** The hosted pages in a platform's own name and colours. */
export interface ConsentPageOptions {
  readonly name?: string
  /** An email address or a phone number. */
  readonly contact?: string
  /** The bytes of an SVG, PNG or WebP image of at most 8 KiB. Default: the first letter of `name`. */
  readonly logo?: Uint8Array
  /** The buttons' colour, `#rrggbb`. It must stand out from white by 3 to 1. */
  readonly accent?: string
  /** The same in dark mode, against a dark page. Default: `accent`, made lighter. */
  readonly accentDark?: string
  /** Where the pages lead people back to: the url of the platform's site or app. */
  readonly home?: string
  /**
   * The languages, the first one by default: of `en`, `ha`, `yo`, `ig` and `pcm`. All but English are complete drafts that
   * no speaker has read yet. Default: `en` alone.
   */
  readonly languages?: ReadonlyArray<string>
}

/** Which changes wait for a second operator. */
export interface FourEyesOptions {
  /**
   * The amount from which a transfer needs two operators, by currency in major units; what the operator moved alone
   * within 24 hours counts towards it. A currency that is missing needs two from any amount on. Default: `{ NGN: 10_000
   * }`.
   */
  readonly transfersFrom?: Readonly<Record<string, number>>
  /** Whether every adjustment needs two. Default: true. */
  readonly adjustments?: boolean
  /** Whether every erasure needs two. Default: true. */
  readonly erasures?: boolean
  /** Whether the operators' routes enforce it too. Calls of the facade never do. Default: false. */
  readonly http?: boolean
}

/** The operator console. */
export interface ConsoleOptions {
  /** The platform's name. Default: the host of `publicUrl`. */
  readonly name?: string
  /** The colour of buttons and of LIVE's bar, `#rrggbb`, at least 3 to 1 against white. */
  readonly accent?: string
  /** The same in dark mode, against a dark page. Default: `accent`, made lighter. */
  readonly accentDark?: string
  /** The IANA time zone of the times shown. Default: UTC. */
  readonly timeZone?: string
  /**
   * Returns who is signed in to the host, when an operator opens the console without a session. `undefined`: no one.
   * Without it operators sign in with their tokens.
   */
  readonly operatorOf?: OperatorOf
  /** Which changes wait for a second operator. */
  readonly fourEyes?: FourEyesOptions
  /** How many minutes a session lasts without a request. Default: 30. */
  readonly idleMinutes?: number
  /** How many hours a session lasts at most. Default: 12. */
  readonly lifetimeHours?: number
}

/** How many days records are kept; 0: for good. */
export interface RetentionOptions {
  /** What receivers answered to webhooks. Default: 30. */
  readonly answers?: number
  /** Who read what about people. Default: 730. */
  readonly reads?: number
  /** Delivered webhooks with their attempts. Default: 90. */
  readonly deliveries?: number
  /** Expired one-time codes and links. Default: 1. */
  readonly codes?: number
  /** Closed rights requests. Default: 0. */
  readonly rightsRequests?: number
}

/** The options of `createSurety`. Only `store` and `secretsKey` are required. */
export interface SuretyOptions<Store extends HostStore = HostStore> {
  readonly store: Store
  /**
   * 32 random bytes in base64 (`openssl rand -base64 32`), or a list: the first key is active, the others still open
   * what they sealed. It seals webhook secrets and keys the hashes of values that must not be guessed; if it is lost,
   * they are. A key that the store does not know is rejected. To rotate, put the new key first and keep the older ones
   * after it.
   */
  readonly secretsKey: string | ReadonlyArray<string>
  /**
   * The address of the interface, `basePath` included, with which consent links begin. Default: `http://localhost` and
   * the base path, with a warning in the log unless `targets` is `any`.
   */
  readonly publicUrl?: string
  /** A prefix of every route, such as `/pay`. Default: none. */
  readonly basePath?: string
  /** Guards `/operator/…`, at least 16 characters. Without it those routes do not exist. */
  readonly operatorToken?: string
  /**
   * Operators with tokens of their own. The bearer of `operatorToken` is an admin.
   */
  readonly operators?: ReadonlyArray<OperatorOptions>
  /** Who may call `/merchants…` over HTTP. Default: `token` if there are operators' tokens, else `off`. */
  readonly provisioning?: RouteAccess
  /** Whether the guides at `/docs`, the reference and the OpenAPI documents are served. Default: yes. */
  readonly docs?: boolean
  /** The host's wallet. Default: consumers' money is in Surety's ledger. */
  readonly wallet?: HostWallet
  /** The host's own data about people. Default: what `consumers.create` stored. */
  readonly directory?: HostDirectory
  /**
   * Brings the links of LIVE data requests to people; needs `publicUrl` or `consentUrl`. Without it
   * `dataRequests.pending` carries the links.
   */
  readonly consentNotifier?: HostConsentNotifier
  /**
   * The url for a token, of the host's own page on which a person decides. The page calls `dataRequests.byToken`,
   * `approve` and `deny`. Default: the hosted page, `{publicUrl}/consent/{token}`.
   */
  readonly consentUrl?: (token: string) => string
  /**
   * The hosted pages on which people decide and take consents back: what the platform is called there (default: the
   * host of `publicUrl`), which no merchant may call itself, where people ask about their data, and how the pages look.
   * `off`: none.
   */
  readonly consentPage?: ConsentPageOptions | "off"
  /** Serves the operator console at `/console`. Default: `off`. */
  readonly console?: ConsoleOptions | "off"
  /**
   * Where every event of every merchant is sent, with the platform's own topics, by a signed POST in the order of each
   * merchant's commits. `secret` is `whsec_` and base64 of 24 bytes or more. Events are kept from the first start of the
   * workers with this option on; without it they stay unsent. `off` keeps no more and deletes the unsent ones.
   */
  readonly platformEvents?: { readonly url: string; readonly secret: string } | "off"
  /** How often a merchant may ask one person. */
  readonly consentAsks?: ConsentAskOptions
  /** Requires the host's own session to open a link. Default: the link is enough. */
  readonly signIn?: HostSignIn
  /** Verifies people in LIVE. Without it `verifications.create` is refused there. TEST always has the sandbox. */
  readonly kyc?: HostKycProvider | ReadonlyArray<HostKycProvider>
  /**
   * Which providers verify a kind in LIVE, by name. The next is asked only if the one before certainly took nothing
   * (`NotSubmitted`), and never for a `vnin`. Default: every provider that has the kind, in the order of `kyc`.
   */
  readonly kycRoutes?: HostKycRoutes
  /**
   * Derives a person's `kyc_status` and tier from their verifications. Default: `VERIFIED` by a result without a
   * `NO_MATCH`, if the names and date of birth match, the selfie matches, or the person completed the verification.
   */
  readonly kycPolicy?: HostKycPolicy
  /** The tiers that a person can have, lowest first. Default: `TIER_1`, `TIER_2`, `TIER_3`. */
  readonly kycTiers?: ReadonlyArray<string>
  /**
   * How consumer identifiers (`serviceId`) are checked. `shape` accepts any check character, for identifiers that were
   * issued elsewhere. Default: `crockford`.
   */
  readonly consumerIdCheck?: "crockford" | "shape"
  /** Parts of the host that hold data of people: they take part in `people.export` and `people.erase`. */
  readonly personData?: ReadonlyArray<HostPersonData>
  /** How long records are kept. Money, receipts and refund keys are never taken. */
  readonly retention?: RetentionOptions
  readonly rateLimits?: RateLimitOptions
  /** The host's own rate limiter. Default: buckets in the store, shared by all processes. */
  readonly rateLimiter?: HostRateLimiter
  /**
   * Which urls webhooks may be sent to. `public` (the default): https to public hosts only. `any`: also plain http and
   * this machine, for development.
   */
  readonly targets?: "public" | "any"
  /** Receives log lines; `pinoLogger(pino())` and `consoleLogger()` make one. Default: none are written. */
  readonly logger?: HostLogger
  /**
   * Receives every failure of a host part with the thrown value, for an error tracker. The log has the same failure
   * with Surety's arguments masked. Errors that it throws itself are dropped.
   */
  readonly onError?: OnError
  /**
   * OpenTelemetry's own providers, which the host's SDK has: Surety's spans below the host's active one, and its metrics.
   * Needs `@opentelemetry/api`. Default: neither.
   */
  readonly telemetry?: TelemetryOptions
  /** An Effect tracer, for a host that uses `@surety/embed/effect`, in place of `telemetry.tracerProvider`. */
  readonly tracer?: Tracer.Tracer
}
