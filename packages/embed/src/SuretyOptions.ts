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

/** A rate in requests per second, with the burst allowed after a pause. `off` means no limit. */
export type RateOption = { readonly perSecond: number; readonly burst: number } | "off"

/** Limits for HTTP clients. The host's own calls are not limited. */
export interface RateLimitOptions {
  /** Limit for `POST /v1/refunds`, per merchant and environment. Default: 100 per second, with a burst of 200. */
  readonly refunds?: RateOption
  /**
   * Limit for every other route below `/v1`, per merchant and environment. Default: 500 per second, with a burst of
   * 1,000.
   */
  readonly other?: RateOption
  /**
   * Limit per client address on `/merchants…`, on KYC callbacks that are not authentic, and on failed authentication.
   * Each is counted separately, and failed authentication also per kind of credential. Default: no limit. `handler`
   * does not know addresses, so all of its clients count as one address.
   */
  readonly provisioning?: RateOption
}

/** An operator with a token of their own. */
export interface OperatorOptions {
  /** The operator's name, recorded with each of their changes. Must not be `operator`. */
  readonly name: string
  /**
   * Every role may read most records, and `viewer` may do nothing else. `support` may also act for people, manage
   * merchants' deliveries and suspend merchants. `money` may instead move money and start audits. `admin` may do
   * everything.
   */
  readonly role: "viewer" | "support" | "money" | "admin"
  /** SHA-256 of the operator's token, in lower-case hex. */
  readonly tokenHash: string
}

/**
 * Limits on one merchant's data requests to one person. They apply in LIVE, and in TEST if the person has `askLimits`.
 * 0 disables a limit.
 */
export interface ConsentAskOptions {
  /** Maximum number of pending requests. Default: 5. */
  readonly open?: number
  /** Maximum number of new requests within 24 hours. Default: 10. */
  readonly perDay?: number
  /**
   * Seconds after a denial during which the merchant may not repeat a request for the same fields and purpose. Default:
   * 86,400 (24 hours).
   */
  readonly againAfterSeconds?: number
}

/** Settings of the hosted pages, such as the platform's name and contact, and the pages' look and languages. */
export interface ConsentPageOptions {
  readonly name?: string
  /** Contact for questions about data: an e-mail address or a phone number. */
  readonly contact?: string
  /** Logo, as the bytes of an SVG, PNG or WebP image of at most 8 KiB. Default: the first letter of `name`. */
  readonly logo?: Uint8Array
  /** Colour of buttons and other accents, as `#rrggbb`. Its contrast against white must be at least 3 to 1. */
  readonly accent?: string
  /** Accent colour in dark mode. Default: a lighter `accent`. */
  readonly accentDark?: string
  /** Url of the host's site or app, to which the pages link. If omitted, they have no such link. */
  readonly home?: string
  /**
   * Languages of the pages, chosen from `en`, `ha`, `yo`, `ig` and `pcm`. The first is the default language. All but
   * English are complete drafts, not yet reviewed by a native speaker. Default: `en` alone.
   */
  readonly languages?: ReadonlyArray<string>
}

/** Policy that says which changes need a second operator. */
export interface FourEyesOptions {
  /**
   * Smallest amount for which a transfer needs two operators, by currency in major units. The amounts that the operator
   * moved alone in the last 24 hours count towards it. In a currency without an entry, every transfer needs two
   * operators. Default: `{ NGN: 10_000 }`.
   */
  readonly transfersFrom?: Readonly<Record<string, number>>
  /** True if adjustments of any amount need two operators. Default: true. */
  readonly adjustments?: boolean
  /** True if every erasure needs two operators. Default: true. */
  readonly erasures?: boolean
  /** True if the operators' HTTP routes also enforce the policy. Default: false. Direct calls to `surety` never do. */
  readonly http?: boolean
}

/** Settings of the operator console, such as its look, sign-in and policy. */
export interface ConsoleOptions {
  /** Name of the host's platform. Default: the host name in `publicUrl`. */
  readonly name?: string
  /**
   * Colour of buttons and other accents, as `#rrggbb`. Its contrast against white must be at least 3 to 1. The bar that
   * marks LIVE takes its hue from this colour.
   */
  readonly accent?: string
  /** Accent colour in dark mode. Default: a lighter `accent`. */
  readonly accentDark?: string
  /** IANA time zone for displayed times. Default: UTC. */
  readonly timeZone?: string
  /**
   * Returns the operator who is signed in to the host, or `undefined` if no one is. Called when an operator opens the
   * console without a session, and on each request of a session that `operatorOf` opened. If omitted, operators sign in
   * with their tokens.
   */
  readonly operatorOf?: OperatorOf
  /** Which changes need a second operator. If omitted, the defaults of `FourEyesOptions` apply. */
  readonly fourEyes?: FourEyesOptions
  /** Minutes without a request after which a session ends. Default: 30. */
  readonly idleMinutes?: number
  /** Maximum length of a session in hours. Default: 12. */
  readonly lifetimeHours?: number
}

/** Number of days for which records are kept. 0 means forever. */
export interface RetentionOptions {
  /** Receivers' responses to webhooks. Default: 30. */
  readonly answers?: number
  /** Records of merchants' identity reads. Default: 730. */
  readonly reads?: number
  /** Delivered webhooks with their attempts. Default: 90. */
  readonly deliveries?: number
  /** Expired one-time codes and management links. Default: 1. */
  readonly codes?: number
  /** Closed rights requests. Default: 0. */
  readonly rightsRequests?: number
}

/** Options of `createSurety`. Only `store` and `secretsKey` are required. */
export interface SuretyOptions<Store extends HostStore = HostStore> {
  readonly store: Store
  /**
   * 32 random bytes in base64 (`openssl rand -base64 32`), or a list of such keys. The first key is active, and the
   * others still open the secrets that they sealed. The key seals webhook secrets and consent links. It also keys the
   * hashes of values that must not be guessed. Without the key, sealed secrets cannot be opened and hashes cannot be
   * compared. If the store has been used before, list a key that it was used with. Also list each key that sealed a
   * secret still in use. To rotate, put the new key first and keep the older ones after it.
   */
  readonly secretsKey: string | ReadonlyArray<string>
  /**
   * Public url of the HTTP API, including `basePath`. Links to the hosted pages start with it. Default:
   * `http://localhost` followed by the base path, with a warning in the log unless `targets` is `any`.
   */
  readonly publicUrl?: string
  /** Prefix, such as `/pay`, of every route except `/healthz` and `/readyz`. Default: none. */
  readonly basePath?: string
  /**
   * Token of at least 16 characters, for `/operator/…` and the console, and for `/merchants…` with `provisioning:
   * "token"`. If omitted, only the tokens in `operators` are accepted. Without any token, the routes below `/operator`
   * do not exist.
   */
  readonly operatorToken?: string
  /** Operators with their own tokens. The bearer of `operatorToken` is an admin. */
  readonly operators?: ReadonlyArray<OperatorOptions>
  /** Who may call `/merchants…` over HTTP. Default: `token` if there are operators' tokens, otherwise `off`. */
  readonly provisioning?: RouteAccess
  /** True to serve the guides at `/docs`, the reference and the OpenAPI documents. Default: true. */
  readonly docs?: boolean
  /** The host's own wallet. If omitted, Surety's ledger holds consumers' money. */
  readonly wallet?: HostWallet
  /** The host's own data about people. If omitted, Surety reads its own records of people. */
  readonly directory?: HostDirectory
  /**
   * Sends people the links of LIVE data requests. Requires `publicUrl` or `consentUrl`. If omitted,
   * `dataRequests.pending` returns the links.
   */
  readonly consentNotifier?: HostConsentNotifier
  /**
   * Builds the url of the host's own consent page from the link's token. That page calls `dataRequests.byToken`,
   * `approve` and `deny`. Default: the hosted page, `{publicUrl}/consent/{token}`.
   */
  readonly consentUrl?: (token: string) => string
  /**
   * Settings of the hosted pages, where people decide on data requests and revoke consents. A merchant's name must not
   * contain a `name` given here. By default, the pages show the host name in `publicUrl`. `off`: no pages.
   */
  readonly consentPage?: ConsentPageOptions | "off"
  /** Serves the operator console at `/console`. Default: `off`. */
  readonly console?: ConsoleOptions | "off"
  /**
   * Endpoint for the platform's own events and all merchants' events, except test events. Each event is sent to `url`
   * as a signed POST. A merchant's events are sent in the order of `events.follow`. `secret` is `whsec_` followed by at
   * least 24 bytes in base64.
   *
   * Events are queued from the first time the workers run with this option. If it is omitted later, events are still
   * queued, but not sent. Workers that run with `off` stop the queueing and delete the unsent events.
   */
  readonly platformEvents?: { readonly url: string; readonly secret: string } | "off"
  /** Limits on how often a merchant may ask one person. */
  readonly consentAsks?: ConsentAskOptions
  /**
   * Checks the host's own session before a person may open a hosted page by its link. If omitted, the link suffices.
   */
  readonly signIn?: HostSignIn
  /**
   * Providers that verify people in LIVE. If omitted, `verifications.create` is refused in LIVE. TEST always uses the
   * sandbox.
   */
  readonly kyc?: HostKycProvider | ReadonlyArray<HostKycProvider>
  /**
   * Names of the providers to try for each kind in LIVE, in order. The next provider is tried only if the previous one
   * certainly did not accept the submission (`NotSubmitted`). For a `vnin`, no other provider is tried. Default: every
   * provider that supports the kind, in the order of `kyc`.
   */
  readonly kycRoutes?: HostKycRoutes
  /**
   * Derives a person's `kyc_status` and tier from their verifications. By default, a result without `NO_MATCH` makes
   * the person `VERIFIED` if at least one of these holds:
   *
   * - Both names and the date of birth match.
   * - The selfie matches.
   * - The person took part in the verification.
   */
  readonly kycPolicy?: HostKycPolicy
  /** Tiers a person can have, lowest first. Default: `TIER_1`, `TIER_2`, `TIER_3`. */
  readonly kycTiers?: ReadonlyArray<string>
  /**
   * How consumer identifiers (`serviceId`) are checked. `shape` accepts any check character, for identifiers from
   * another issuer. Default: `crockford`.
   */
  readonly consumerIdCheck?: "crockford" | "shape"
  /** Parts of the host that hold people's data. They take part in `people.export` and `people.erase`. */
  readonly personData?: ReadonlyArray<HostPersonData>
  /**
   * How long some kinds of records are kept. Records of money, receipts and the idempotency keys of refunds are always
   * kept.
   */
  readonly retention?: RetentionOptions
  readonly rateLimits?: RateLimitOptions
  /** The host's own rate limiter. If omitted, Surety uses token buckets in the store, shared by all processes. */
  readonly rateLimiter?: HostRateLimiter
  /**
   * Urls to which webhooks and platform events may be sent. `public` (the default): https to public hosts only. `any`:
   * also plain http and private addresses, for development.
   */
  readonly targets?: "public" | "any"
  /** Receives log lines. `pinoLogger(pino())` and `consoleLogger()` build a logger. Default: nothing is logged. */
  readonly logger?: HostLogger
  /**
   * Receives each failure of a part that the host provides, such as `wallet`, with its cause, for an error tracker. The
   * cause may quote values that Surety passed to the part; only the log masks them. Errors thrown by this function are
   * ignored.
   */
  readonly onError?: OnError
  /**
   * The OpenTelemetry providers of the host's SDK. They receive Surety's metrics and spans. Spans of calls and requests
   * belong to the trace of the host's active span, if any. Requires `@opentelemetry/api`.
   */
  readonly telemetry?: TelemetryOptions
  /** An Effect tracer instead of `telemetry.tracerProvider`, for a host that uses `@surety/embed/effect`. */
  readonly tracer?: Tracer.Tracer
}
