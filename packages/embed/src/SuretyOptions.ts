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

/** Requests per second and the burst allowed after a pause, or `off` for no limit. */
export type RateOption = { readonly perSecond: number; readonly burst: number } | "off"

/** Limits for HTTP clients. The host's own calls are not limited. */
export interface RateLimitOptions {
  /** `POST /v1/refunds`, per merchant and environment. Default: 100 per second, with a burst of 200. */
  readonly refunds?: RateOption
  /** Every other route below `/v1`, per merchant and environment. Default: 500 per second, with a burst of 1,000. */
  readonly other?: RateOption
  /**
   * `/merchants…` and failed authentication, per address. Default: no limit. `handler` does not know addresses, so all
   * of its clients share one bucket.
   */
  readonly provisioning?: RateOption
}

/** An operator with their own token. */
export interface OperatorOptions {
  /** Recorded with each of the operator's changes. Must not be `operator`. */
  readonly name: string
  /** `viewer` reads, `support` also decides for people, `money` also moves money, and `admin` may do everything. */
  readonly role: "viewer" | "support" | "money" | "admin"
  /** SHA-256 of the operator's token, in lower-case hex. */
  readonly tokenHash: string
}

/** How often one merchant may ask one person in LIVE. 0 means no limit. */
export interface ConsentAskOptions {
  /** Maximum number of pending requests. Default: 5. */
  readonly open?: number
  /** Maximum number of new requests within 24 hours. Default: 10. */
  readonly perDay?: number
  /** How long after a denial a merchant may not repeat a request for the same fields and purpose. Default: 24 hours. */
  readonly againAfterSeconds?: number
}

/** The hosted pages under a platform's own name and in its colours. */
export interface ConsentPageOptions {
  readonly name?: string
  /** An email address or a phone number. */
  readonly contact?: string
  /** Bytes of an SVG, PNG or WebP image of at most 8 KiB. Default: the first letter of `name`. */
  readonly logo?: Uint8Array
  /** Colour of buttons, `#rrggbb`. Requires a contrast of at least 3 to 1 against white. */
  readonly accent?: string
  /** Colour of buttons in dark mode, against a dark page. Default: a lighter `accent`. */
  readonly accentDark?: string
  /** Url of the platform's site or app, to which the pages return people. */
  readonly home?: string
  /**
   * Languages of the pages, from `en`, `ha`, `yo`, `ig` and `pcm`. The first is the default. All but English are
   * complete drafts, not yet reviewed by a native speaker. Default: `en` alone.
   */
  readonly languages?: ReadonlyArray<string>
}

/** Policy for which changes need a second operator. */
export interface FourEyesOptions {
  /**
   * Smallest amount for which a transfer needs two operators, by currency in major units. Amounts that the operator
   * moved alone within 24 hours are added. In a currency without an entry, every transfer needs two. Default: `{ NGN:
   * 10_000 }`.
   */
  readonly transfersFrom?: Readonly<Record<string, number>>
  /** Whether adjustments of any amount need two operators. Default: true. */
  readonly adjustments?: boolean
  /** Whether every erasure needs two operators. Default: true. */
  readonly erasures?: boolean
  /** Whether the operators' HTTP routes also enforce the policy. Calls of the facade never do. Default: false. */
  readonly http?: boolean
}

/** The operator console. */
export interface ConsoleOptions {
  /** The platform's name. Default: the host of `publicUrl`. */
  readonly name?: string
  /** Colour of buttons and of LIVE's bar, `#rrggbb`. Requires a contrast of at least 3 to 1 against white. */
  readonly accent?: string
  /** The colour in dark mode, against a dark page. Default: a lighter `accent`. */
  readonly accentDark?: string
  /** IANA time zone of the times shown. Default: UTC. */
  readonly timeZone?: string
  /**
   * Returns who is signed in to the host, or `undefined` if no one is. Called when an operator opens the console
   * without a session. If omitted, operators sign in with their tokens.
   */
  readonly operatorOf?: OperatorOf
  /** Policy for which changes need a second operator. */
  readonly fourEyes?: FourEyesOptions
  /** Minutes that a session lasts without a request. Default: 30. */
  readonly idleMinutes?: number
  /** Maximum length of a session in hours. Default: 12. */
  readonly lifetimeHours?: number
}

/** Number of days that records are kept. 0: forever. */
export interface RetentionOptions {
  /** Receivers' responses to webhooks. Default: 30. */
  readonly answers?: number
  /** Records of who read what about people. Default: 730. */
  readonly reads?: number
  /** Delivered webhooks with their attempts. Default: 90. */
  readonly deliveries?: number
  /** Expired one-time codes and links. Default: 1. */
  readonly codes?: number
  /** Closed rights requests. Default: 0. */
  readonly rightsRequests?: number
}

/** Options of `createSurety`. Only `store` and `secretsKey` are required. */
export interface SuretyOptions<Store extends HostStore = HostStore> {
  readonly store: Store
  /**
   * 32 random bytes in base64 (`openssl rand -base64 32`), or a list of keys: the first is active, and the others still
   * open what they sealed. The key seals webhook secrets, and keys the hashes of values that must not be guessed. If it
   * is lost, so are they. A key unknown to the store is rejected. To rotate, put the new key first and keep the older
   * ones after it.
   */
  readonly secretsKey: string | ReadonlyArray<string>
  /**
   * Public url of the HTTP interface, including `basePath`. Consent links start with it. Default: `http://localhost`
   * and the base path, with a warning in the log unless `targets` is `any`.
   */
  readonly publicUrl?: string
  /** Prefix of every route, such as `/pay`. Default: none. */
  readonly basePath?: string
  /** Token for `/operator/…`, at least 16 characters. If omitted, those routes do not exist. */
  readonly operatorToken?: string
  /** Operators with their own tokens. The bearer of `operatorToken` is an admin. */
  readonly operators?: ReadonlyArray<OperatorOptions>
  /** Who may call `/merchants…` over HTTP. Default: `token` if there are operators' tokens, otherwise `off`. */
  readonly provisioning?: RouteAccess
  /** Whether to serve the guides at `/docs`, the reference and the OpenAPI documents. Default: true. */
  readonly docs?: boolean
  /** The host's wallet. Default: Surety's ledger holds consumers' money. */
  readonly wallet?: HostWallet
  /** The host's own data about people. Default: the data stored by `consumers.create`. */
  readonly directory?: HostDirectory
  /**
   * Sends people the links of LIVE data requests. Requires `publicUrl` or `consentUrl`. If omitted,
   * `dataRequests.pending` returns the links.
   */
  readonly consentNotifier?: HostConsentNotifier
  /**
   * Returns the url, for a token, of the host's own page on which a person decides. The page calls
   * `dataRequests.byToken`, `approve` and `deny`. Default: the hosted page, `{publicUrl}/consent/{token}`.
   */
  readonly consentUrl?: (token: string) => string
  /**
   * The hosted pages on which people decide on consents and take them back. Sets the platform's name there (default:
   * the host of `publicUrl`), which no merchant may use, the contact for questions about data, and the look of the
   * pages. `off`: no pages.
   */
  readonly consentPage?: ConsentPageOptions | "off"
  /** Serves the operator console at `/console`. Default: `off`. */
  readonly console?: ConsoleOptions | "off"
  /**
   * Url to which all merchants' events and the platform's own are sent, by signed POST and in the order of each
   * merchant's commits. `secret` is `whsec_` and base64 of 24 bytes or more.
   *
   * Events are kept from the first start of the workers with this option. If it is omitted later, they stay unsent.
   * `off` stops keeping events and deletes the unsent ones.
   */
  readonly platformEvents?: { readonly url: string; readonly secret: string } | "off"
  /** Limits how often a merchant may ask one person. */
  readonly consentAsks?: ConsentAskOptions
  /** Requires the host's own session to open a link. Default: the link suffices. */
  readonly signIn?: HostSignIn
  /** Verifies people in LIVE. If omitted, `verifications.create` is refused there. TEST always has the sandbox. */
  readonly kyc?: HostKycProvider | ReadonlyArray<HostKycProvider>
  /**
   * Names of the providers for each kind in LIVE, in the order to try them. The next provider is tried only if the
   * previous one certainly did not accept the submission (`NotSubmitted`), and never for a `vnin`. Default: every
   * provider that supports the kind, in the order of `kyc`.
   */
  readonly kycRoutes?: HostKycRoutes
  /**
   * Derives a person's `kyc_status` and tier from their verifications. Default: `VERIFIED` by a result without a
   * `NO_MATCH` in which the names and date of birth match, the selfie matches, or the person completed the
   * verification.
   */
  readonly kycPolicy?: HostKycPolicy
  /** Tiers a person can have, lowest first. Default: `TIER_1`, `TIER_2`, `TIER_3`. */
  readonly kycTiers?: ReadonlyArray<string>
  /**
   * How consumer identifiers (`serviceId`) are checked. `shape` accepts any check character, for identifiers issued
   * elsewhere. Default: `crockford`.
   */
  readonly consumerIdCheck?: "crockford" | "shape"
  /** Parts of the host that hold data of people, and so take part in `people.export` and `people.erase`. */
  readonly personData?: ReadonlyArray<HostPersonData>
  /** How long records are kept. Money, receipts and refund keys are never deleted. */
  readonly retention?: RetentionOptions
  readonly rateLimits?: RateLimitOptions
  /** The host's own rate limiter. Default: buckets in the store, shared by all processes. */
  readonly rateLimiter?: HostRateLimiter
  /**
   * Urls to which webhooks may be sent. `public` (the default): https to public hosts only. `any`: also plain http and
   * this machine, for development.
   */
  readonly targets?: "public" | "any"
  /** Receives log lines. `pinoLogger(pino())` and `consoleLogger()` create one. Default: nothing is logged. */
  readonly logger?: HostLogger
  /**
   * Receives every failure of a host's part with the thrown value, for an error tracker. The log has the same failure
   * with Surety's arguments masked. Errors thrown by the function are dropped.
   */
  readonly onError?: OnError
  /**
   * The OpenTelemetry providers of the host's SDK. They receive Surety's metrics, and its spans as children of the
   * host's active span. Requires `@opentelemetry/api`. Default: neither.
   */
  readonly telemetry?: TelemetryOptions
  /** An Effect tracer in place of `telemetry.tracerProvider`, for a host that uses `@surety/embed/effect`. */
  readonly tracer?: Tracer.Tracer
}
