import type { Catalog } from "@surety/consent-page/words/Catalog"
import type { CheckScheme } from "@surety/core/CheckCharacter"
import type { Duration, LogLevel, Redacted } from "effect"
import type { IpNetwork } from "effect/net"

export type Profile = "development" | "production"

/** Who may reach a group of routes: anybody, who bears the operator's token, or nobody. */
export type Access = "open" | "token" | "off"

/** Everything that the environment decides, understood and checked. Only this package reads the environment. */
export interface Settings {
  readonly profile: Profile
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Empty, or `/` and segments without a trailing slash. */
  readonly basePath: string
  /** Absent: the embedded database in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted<string> | undefined
  /** The most connections to the database at a time. */
  readonly databaseConnections: number
  readonly dataDir: string
  /** Absent: made and kept in `dataDir` (development only). */
  readonly operatorToken: Redacted.Redacted<string> | undefined
  readonly provisioning: Access
  /** Absent: made and kept in `dataDir` (development only). 32 bytes each; the first is active. */
  readonly secretKeys: ReadonlyArray<Redacted.Redacted<Uint8Array>> | undefined
  /** Absent: follows from `host` and the port that is listened on. Without a trailing slash. */
  readonly publicUrl: string | undefined
  /** Absent: LIVE consent links stand in the operator's list. Both or neither. */
  readonly consentNotifyUrl: string | undefined
  readonly consentNotifySecret: Redacted.Redacted<string> | undefined
  /** Whether people must enter a one-time code, brought by the consent hook, before anything is shown. */
  readonly consentCode: boolean
  /** What the platform is called on the consent page. Absent: the host of the public address. */
  readonly consentPageName: string | undefined
  /** Where people ask about their data. */
  readonly consentPageContact: string | undefined
  /** The languages that the consent page offers, the first for whoever prefers none of them. */
  readonly consentPageLanguages: readonly [Catalog, ...ReadonlyArray<Catalog>]
  /** Pending requests of one merchant for one person; 0 is no bound. */
  readonly consentAsksOpen: number
  /** New requests of one merchant for one person in 24 hours; 0 is no bound. */
  readonly consentAsksPerDay: number
  /** How long after a denial the same question may not be asked again; 0 is no bound. */
  readonly consentAskAgainAfter: Duration.Duration
  readonly consumerIdScheme: CheckScheme
  /** The tiers that a person can have, lowest first. */
  readonly kycTiers: ReadonlyArray<string>
  /** Refunds a second for each merchant and environment; 0 is no limit. */
  readonly rateLimitRefunds: number
  readonly rateLimitRefundsBurst: number
  /** Other requests a second for each merchant and environment; 0 is no limit. */
  readonly rateLimitOther: number
  /** Provisioning and failed authentication a minute for each client address; 0 is no limit. */
  readonly rateLimitProvisioning: number
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  /** Whether webhooks and hooks are sent, and work that is due or was left is done. */
  readonly workers: boolean
  readonly metrics: Access
  readonly docs: boolean
  readonly logLevel: LogLevel.LogLevel
}
