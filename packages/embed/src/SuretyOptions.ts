import type { RouteAccess } from "@surety/http/HttpSettings"
import type { Tracer } from "effect"
import type { HostConsentNotifier } from "./host/HostConsentNotifier.js"
import type { HostDirectory } from "./host/HostDirectory.js"
import type { HostKycPolicy } from "./host/HostKycPolicy.js"
import type { HostKycProvider } from "./host/HostKycProvider.js"
import type { HostLogger } from "./host/HostLogger.js"
import type { HostRateLimiter } from "./host/HostRateLimiter.js"
import type { HostSignIn } from "./host/HostSignIn.js"
import type { HostWallet } from "./host/HostWallet.js"
import type { OnError } from "./host/onHostError.js"
import type { HostStore } from "./store/HostStore.js"

/** Requests a second, and how many may come at once after a pause; or no limit. */
export type RateOption = { readonly perSecond: number; readonly burst: number } | "off"

/** How much each client may ask over HTTP. Calls of the host's own are not limited. */
export interface RateLimitOptions {
  /** `POST /v1/refunds`, for each merchant and environment. Default: 100 a second, 200 at once. */
  readonly refunds?: RateOption
  /** Every other route below `/v1`, for each merchant and environment. Default: 500 a second, 1,000 at once. */
  readonly other?: RateOption
  /**
   * `/merchants…` and failed authentication, for each address. Default: no limit. `handler` knows no addresses: to it all
   * are one.
   */
  readonly provisioning?: RateOption
}

/** How often one merchant may ask one person in LIVE. 0 is no bound. */
export interface ConsentAskOptions {
  /** Pending requests at a time. Default: 5. */
  readonly open?: number
  /** New requests in 24 hours. Default: 10. */
  readonly perDay?: number
  /** How long after a denial the same fields may not be asked for again for the same purpose. Default: 24 hours. */
  readonly againAfterSeconds?: number
}

/** What a host decides. Only `store` and `secretsKey` are required. */
export interface SuretyOptions<Store extends HostStore = HostStore> {
  readonly store: Store
  /**
   * 32 random bytes in base64 (`openssl rand -base64 32`), or a list of such: the first is active, the others still read.
   * It seals webhook secrets and keys the hashes of what must not be guessed. Losing it loses them. Another key than the
   * store was used with is refused; to rotate, put the new one first and keep the older ones behind it.
   */
  readonly secretsKey: string | ReadonlyArray<string>
  /**
   * How people and merchants reach the interface, `basePath` included: consent links begin with it. Default:
   * `http://localhost` and the base path, of which the log warns unless `targets` is `any`.
   */
  readonly publicUrl?: string
  /** What stands before every route, such as `/pay`. Default: nothing. */
  readonly basePath?: string
  /** Guards `/operator/…`, at least 16 characters. Without it those routes do not exist. */
  readonly operatorToken?: string
  /** Who may call `/merchants…` over HTTP. Default: `token` where there is an operator's token, else `off`. */
  readonly provisioning?: RouteAccess
  /** Whether `/docs` and `/openapi.json` are served. Default: yes. */
  readonly docs?: boolean
  /** The host's wallet. Without it Surety's ledger holds the customers' money. */
  readonly wallet?: HostWallet
  /** What the host knows of its people. Without it merchants read what `consumers.create` was given. */
  readonly directory?: HostDirectory
  /**
   * Brings the links of LIVE data requests to people; needs `publicUrl` or `consentUrl`. Without it
   * `dataRequests.pending` carries the links.
   */
  readonly consentNotifier?: HostConsentNotifier
  /**
   * Where the holder of a token decides, on a page of the host's own that calls `dataRequests.byToken`, `approve` and
   * `deny`. Default: the hosted page, `{publicUrl}/consent/{token}`.
   */
  readonly consentUrl?: (token: string) => string
  /**
   * The hosted pages on which people decide and take consents back: what the platform is called there (default: the
   * host of `publicUrl`), which no merchant may call itself, and where people ask about their data. `off`: none.
   */
  readonly consentPage?: { readonly name?: string; readonly contact?: string } | "off"
  /** How often one merchant may ask one person. */
  readonly consentAsks?: ConsentAskOptions
  /** Demands the host's own session of whoever opens a link. Without it the link is enough. */
  readonly signIn?: HostSignIn
  /** Who verifies people in LIVE. Without it `verifications.create` is refused there; TEST has the sandbox always. */
  readonly kyc?: HostKycProvider
  /**
   * What a person's verifications make of their `kyc_status` and tier. Default: `VERIFIED` by a result in which first
   * name, last name and date of birth all match, or the selfie does, or which the holder completed, and in which nothing
   * is `NO_MATCH`.
   */
  readonly kycPolicy?: HostKycPolicy
  /** The tiers that a person can have, lowest first. Default: `TIER_1`, `TIER_2`, `TIER_3`. */
  readonly kycTiers?: ReadonlyArray<string>
  /**
   * How consumer identifiers (`serviceId`) are checked. `shape` accepts any check character, for identifiers that were
   * issued elsewhere. Default: `crockford`.
   */
  readonly consumerIdCheck?: "crockford" | "shape"
  readonly rateLimits?: RateLimitOptions
  /** The host's own rate limiter. Without it Surety counts in its store, for all processes together. */
  readonly rateLimiter?: HostRateLimiter
  /**
   * Which urls webhooks may be sent to. `public` (the default): https to public hosts only. `any`: also plain http and
   * this machine, for development.
   */
  readonly targets?: "public" | "any"
  /** Where log lines go. Default: nowhere. */
  readonly logger?: HostLogger
  /**
   * Told of every failure of a part that the host brings, with what it threw, such as for an error tracker: the log has the
   * same with what Surety passed masked. What it throws itself is dropped.
   */
  readonly onError?: OnError
  /** Where spans go: an Effect tracer, also over OpenTelemetry by `@effect/opentelemetry`. Default: nowhere. */
  readonly tracer?: Tracer.Tracer
}
