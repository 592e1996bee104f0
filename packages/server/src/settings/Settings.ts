import type { SettingInForce } from "@surety/console/ConsoleSettings"
import * as CheckCharacter from "@surety/core/CheckCharacter"
import { defaultKycSettings, isTierList } from "@surety/core/kyc/KycSettings"
import { defaultRequestsAtOnce } from "@surety/http/access/RequestsAtOnce"
import { type LogLevel, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"
import { IpNetwork, NetAddress } from "effect/net"
import { type KycSetup, kycRoutes } from "../kyc/kycSetup.js"
import { approvalSettings } from "./approvalSettings.js"
import { type CellSettings, cellSettings } from "./cellSettings.js"
import { consentSettings } from "./consentSettings.js"
import { consoleSettings } from "./consoleSettings.js"
import { readDatabaseUrl } from "./databaseUrl.js"
import { hookSettings } from "./hookSettings.js"
import { operatorSettings } from "./operatorSettings.js"
import { platformSettings } from "./platformSettings.js"
import { retentionSettings } from "./retentionSettings.js"
import { httpUrl, oneOfValues, onOrOff, setting, type Values, wholeNumber } from "./Setting.js"
import { telemetrySettings } from "./telemetrySettings.js"
import { verifySettings } from "./verifySettings.js"

export type Profile = "development" | "production"

/** Who may call a group of routes: everyone, callers with an operator's token, or no one. */
export type Access = "open" | "token" | "off"

const access = oneOfValues<Access>("open", "token", "off")

const profile = setting("SURETY_PROFILE", {
  meaning: "development or production; production refuses to start unless database, token and secret key are set",
  default: "development",
  read: oneOfValues<Profile>("development", "production")
})

const host = setting("HOST", {
  meaning: "the address to listen on",
  default: "127.0.0.1",
  read: (text) => (/^[^\s/]+$/.test(text) ? Result.succeed(text) : Result.fail("is not a host name or address"))
})

const loopback = new Set(["127.0.0.1", "::1", "localhost"])

const readBasePath = (text: string): Result.Result<string, string> => {
  const path = text.replace(/\/+$/, "")
  // Clients resolve the segments "." and ".." before they send a path.
  return /^(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/.test(path)
    ? Result.succeed(path)
    : Result.fail(`is "${text}"; it must look like /api or /pay/v2`)
}

const readSecretKey = (text: string): Redacted.Redacted<Uint8Array> | undefined => {
  const bytes = Base64.decode(text)
  return Result.isSuccess(bytes) && bytes.success.length === 32
    ? Redacted.make(bytes.success, { label: "secret key" })
    : undefined
}

/** Parses a public url, and removes trailing slashes. Rejects a query or fragment, since paths are appended to it. */
const readPublicUrl = (text: string): Result.Result<string, string> =>
  Result.flatMap(httpUrl(text), (url) =>
    /[?#]/.test(url) ? Result.fail("must not have a query or fragment") : Result.succeed(url.replace(/\/+$/, ""))
  )

const readSecretKeys = (text: string): Result.Result<ReadonlyArray<Redacted.Redacted<Uint8Array>>, string> => {
  const parts = text.split(",").map((part) => part.trim())
  const keys = parts.map(readSecretKey)
  const faulty = keys.flatMap((key, index) => (key === undefined ? [index + 1] : []))
  if (faulty.length > 0) {
    return Result.fail(
      `key ${faulty.join(", ")} of ${keys.length} is not 32 bytes in base64; generate one: openssl rand -base64 32`
    )
  }
  return new Set(parts).size < parts.length
    ? Result.fail("lists a key twice")
    : Result.succeed(keys.flatMap((key) => key ?? []))
}

const readTiers = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  const tiers = text.split(",").map((tier) => tier.trim())
  return isTierList(tiers)
    ? Result.succeed(tiers)
    : Result.fail(`is "${text}"; it must list different tiers, each of 1 to 32 characters, such as TIER_1,TIER_2`)
}

/**
 * Maximum of each rate limit except `RATE_LIMIT_REFUNDS_BURST`. At this rate per second, a bucket gains a token every
 * 10 microseconds, which the database's clock can still resolve.
 */
const mostPerSecond = 100_000

const rateLimitRefunds = setting("RATE_LIMIT_REFUNDS", {
  meaning: "refunds a second for each merchant and environment; 0: no limit",
  default: 100,
  read: wholeNumber(0, mostPerSecond)
})

const leastRefundsBurst = 200

const mappedBits = 96

/** Returns the IPv4 network of one in IPv6 form, since peers' addresses are compared in IPv4 form. */
const canonical = (network: IpNetwork.IpNetwork): Result.Result<IpNetwork.IpNetwork, unknown> => {
  const address = NetAddress.toCanonical(network.address)
  return NetAddress.isIpv6Address(network.address) &&
    NetAddress.isIpv4Address(address) &&
    network.prefixLength >= mappedBits
    ? IpNetwork.make(address, network.prefixLength - mappedBits)
    : Result.succeed(network)
}

const networkOf = (text: string): Result.Result<IpNetwork.IpNetwork, string> =>
  Result.mapError(
    Result.flatMap(NetAddress.ipFromString(text), (address) => IpNetwork.make(address, NetAddress.width(address))).pipe(
      Result.orElse(() => IpNetwork.fromString(text)),
      Result.flatMap(canonical)
    ),
    () => `"${text}", which is neither an address nor a network such as 10.0.0.0/8`
  ).pipe(
    // Each client could then name any address as its own.
    Result.filterOrFail(
      ({ prefixLength }) => prefixLength > 0,
      () => `"${text}", which is every address; name the networks of your proxies`
    )
  )

const readNetworks = (text: string): Result.Result<ReadonlyArray<IpNetwork.IpNetwork>, string> =>
  Result.mapError(
    Result.all((text === "" ? [] : text.split(",")).map((part) => networkOf(part.trim()))),
    (fault) => `has ${fault}`
  )

const logLevels = {
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  none: "None"
} as const satisfies Record<string, LogLevel.LogLevel>

/**
 * Every setting of the standalone server, except those of KYC vendors. The type of the values, the list in
 * `surety --help` and the variables to read all derive from this table. A new setting needs only an entry here.
 */
export const settingTable = {
  profile,
  host,
  port: setting("PORT", {
    meaning: "the port to listen on; 0 picks a free one, shown in the ready line",
    default: 3000,
    read: wholeNumber(0, 65_535)
  }),
  basePath: setting("BASE_PATH", {
    meaning: "prefix of every path except /healthz, /readyz and /metrics",
    default: "",
    read: readBasePath
  }),
  databaseUrl: setting("DATABASE_URL", {
    meaning:
      "PostgreSQL 15 or newer, postgres://user:password@host:5432/name; with ?sslmode=require, only over TLS with a " +
      "certificate that Node trusts",
    unset: "development: an embedded database in DATA_DIR",
    read: readDatabaseUrl
  }),
  databaseConnections: setting("DATABASE_CONNECTIONS", {
    meaning: "the maximum number of connections to PostgreSQL",
    default: 16,
    read: wholeNumber(1, 1000)
  }),
  databasePreparedStatements: setting("DATABASE_PREPARED_STATEMENTS", {
    meaning:
      "whether connections use prepared statements: on or off; set off behind a pooler in transaction mode that does not " +
      "support them, such as PgBouncer before 1.21",
    default: "on",
    read: onOrOff
  }),
  ...cellSettings,
  dataDir: setting("DATA_DIR", {
    meaning: "where the embedded database and the development keys are kept",
    default: ".surety",
    read: Result.succeed<string>
  }),
  ...operatorSettings,
  ...approvalSettings,
  provisioning: setting("PROVISIONING", {
    meaning: "who may call /merchants…: open, token (the operator's) or off",
    default: (get) => (get(profile) === "development" && loopback.has(get(host)) ? "open" : "token"),
    defaultText: "development on loopback: open; else token",
    read: access
  }),
  secretKeys: setting("SECRETS_KEY", {
    meaning:
      "32 random bytes in base64 (openssl rand -base64 32), or a comma-separated list: the first key is active, the others only decrypt",
    unset: "development: created and kept in DATA_DIR",
    read: readSecretKeys
  }),
  publicUrl: setting("PUBLIC_URL", {
    meaning: "the public url of this server, used in consent links, OpenAPI's servers and the type of problems",
    unset: "from HOST and PORT",
    read: readPublicUrl
  }),
  ...consentSettings,
  ...hookSettings,
  ...retentionSettings,
  ...verifySettings,
  ...platformSettings,
  ...consoleSettings,
  consumerIdScheme: setting("CONSUMER_ID_CHECK", {
    meaning: "crockford, or shape: accept any check character, for identifiers that were issued elsewhere",
    default: "crockford",
    read: (text) =>
      Result.map(oneOfValues("crockford", "shape")(text), (choice) =>
        choice === "shape" ? CheckCharacter.shapeOnly : CheckCharacter.crockford
      )
  }),
  kycTiers: setting("KYC_TIERS", {
    meaning:
      "a comma-separated list of the tiers that a person can have, lowest first; a verification raises a person only to one of these",
    default: defaultKycSettings.tiers.join(","),
    read: readTiers
  }),
  kycRoutes,
  rateLimitRefunds,
  rateLimitRefundsBurst: setting("RATE_LIMIT_REFUNDS_BURST", {
    meaning: "how many refunds may arrive in one burst after a pause",
    default: (get) => Math.max(leastRefundsBurst, get(rateLimitRefunds)),
    defaultText: `${leastRefundsBurst}, or RATE_LIMIT_REFUNDS if that is more`,
    read: wholeNumber(1, 1_000_000)
  }),
  rateLimitOther: setting("RATE_LIMIT_OTHER", {
    meaning: "other requests a second for each merchant and environment, in bursts of up to twice as many; 0: no limit",
    default: 500,
    read: wholeNumber(0, mostPerSecond)
  }),
  rateLimitProvisioning: setting("RATE_LIMIT_PROVISIONING", {
    meaning: "requests to /merchants… and failed authentications a minute for each client address; 0: no limit",
    default: (get) => (get(profile) === "development" ? 0 : 60),
    defaultText: "development: 0; production: 60",
    read: wholeNumber(0, mostPerSecond)
  }),
  requestsAtOnce: setting("REQUESTS_AT_ONCE", {
    meaning: "requests that this process handles at once; more get 503 with Retry-After; 0: no limit",
    default: defaultRequestsAtOnce,
    read: wholeNumber(0, 1_000_000)
  }),
  trustedProxies: setting("TRUSTED_PROXIES", {
    meaning:
      "a comma-separated list of addresses and networks of the proxies whose X-Forwarded-For is trusted: 10.0.0.0/8",
    default: "",
    defaultText: "none: a client's address is that of its connection",
    read: readNetworks
  }),
  workers: setting("WORKERS", {
    meaning:
      "on, or off: a server that serves and sends nothing (no webhooks, hooks, KYC vendors, sweeps or recoveries)",
    default: "on",
    read: onOrOff
  }),
  metrics: setting("METRICS", {
    meaning: "who may read /metrics: open, token (the operator's) or off",
    default: (get) => (get(profile) === "development" ? "open" : "token"),
    defaultText: "development: open; production: token",
    read: access
  }),
  docs: setting("DOCS", {
    meaning: "on, or off: whether the welcome page, /docs and the OpenAPI documents are served",
    default: "on",
    read: onOrOff
  }),
  ...telemetrySettings,
  logLevel: setting("LOG_LEVEL", {
    meaning: "debug, info, warning, error or none",
    default: "info",
    read: (text) =>
      Result.map(
        oneOfValues("debug", "info", "warning", "error", "none")(text.toLowerCase()),
        (choice): LogLevel.LogLevel => logLevels[choice]
      )
  })
}

/** `inForce` has every setting as operators see it, without secrets. */
export type Settings = Values<typeof settingTable> & {
  readonly kyc: KycSetup
  readonly inForce: ReadonlyArray<SettingInForce>
}

/** Returns the cells, home cell first. Undefined with a single database. */
export const cellsOf = ({ cells, cellsFile }: Settings): CellSettings | undefined => cells ?? cellsFile

export const platformNameOf = ({ consentPageName }: Settings, publicUrl: string): string =>
  consentPageName ?? new URL(publicUrl).hostname
