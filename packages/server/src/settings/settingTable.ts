import * as CheckCharacter from "@surety/core/CheckCharacter"
import { defaultSettings, isTierList } from "@surety/core/kyc/KycSettings"
import { type LogLevel, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"
import { IpNetwork, NetAddress } from "effect/net"
import { consentSettings } from "./consentSettings.js"
import { httpUrl, oneOf, type Setting, wholeNumber } from "./Setting.js"
import type { Access, Profile } from "./Settings.js"

const access = oneOf("open", "token", "off")

const profile: Setting<Profile> = {
  name: "SURETY_PROFILE",
  meaning: "development, or production: which refuses to start unless database, token and secret key are set",
  defaultText: "development",
  read: oneOf("development", "production")
}

const host: Setting<string> = {
  name: "HOST",
  meaning: "the address to listen on",
  defaultText: "127.0.0.1",
  read: (text) => (/^[^\s/]+$/.test(text) ? Result.succeed(text) : Result.fail("is not a host name or address"))
}

const port: Setting<number> = {
  name: "PORT",
  meaning: "the port to listen on; 0 picks a free one, which the ready line tells",
  defaultText: "3000",
  read: wholeNumber(0, 65535)
}

const basePath: Setting<string> = {
  name: "BASE_PATH",
  meaning: "stands before every path but /healthz, /readyz and /metrics",
  defaultText: "empty",
  read: (text) => {
    const path = text.replace(/\/+$/, "")
    return /^(\/[A-Za-z0-9._~-]+)*$/.test(path)
      ? Result.succeed(path)
      : Result.fail(`is "${text}"; it must look like /api or /pay/v2`)
  }
}

const databaseUrl: Setting<Redacted.Redacted<string>> = {
  name: "DATABASE_URL",
  meaning: "PostgreSQL 15 or newer, postgres://user:password@host:5432/name",
  defaultText: "development: an embedded database in DATA_DIR",
  read: (text) =>
    URL.canParse(text) && ["postgres:", "postgresql:"].includes(new URL(text).protocol)
      ? Result.succeed(Redacted.make(text))
      : Result.fail("is not a url of the form postgres://user:password@host:5432/name")
}

const databaseConnections: Setting<number> = {
  name: "DATABASE_CONNECTIONS",
  meaning: "the most connections to PostgreSQL at a time",
  defaultText: "16",
  read: wholeNumber(1, 1000)
}

const dataDir: Setting<string> = {
  name: "DATA_DIR",
  meaning: "where the embedded database and the development keys are kept",
  defaultText: ".surety",
  read: Result.succeed
}

const leastTokenLength = 16

const operatorToken: Setting<Redacted.Redacted<string>> = {
  name: "OPERATOR_TOKEN",
  meaning: `guards /operator/*; at least ${leastTokenLength} characters`,
  defaultText: "development: made and kept in DATA_DIR",
  read: (text) =>
    text.length >= leastTokenLength && /^[\x21-\x7e]+$/.test(text)
      ? Result.succeed(Redacted.make(text, { label: "operator token" }))
      : Result.fail(`must have at least ${leastTokenLength} characters, printable ASCII without spaces`)
}

const provisioning: Setting<Access> = {
  name: "PROVISIONING",
  meaning: "who may call /merchants…: open, token (the operator's) or off",
  defaultText: "development on loopback: open; else token",
  read: access
}

const readSecretKey = (text: string): Redacted.Redacted<Uint8Array> | undefined => {
  const bytes = Base64.decode(text)
  return Result.isSuccess(bytes) && bytes.success.length === 32
    ? Redacted.make(bytes.success, { label: "secret key" })
    : undefined
}

const secretKeys: Setting<ReadonlyArray<Redacted.Redacted<Uint8Array>>> = {
  name: "SECRETS_KEY",
  meaning: "32 random bytes in base64 (openssl rand -base64 32), or a comma list: the first is active, the others read",
  defaultText: "development: made and kept in DATA_DIR",
  read: (text) => {
    const keys = text.split(",").map((part) => readSecretKey(part.trim()))
    const faulty = keys.flatMap((key, index) => (key === undefined ? [index + 1] : []))
    return faulty.length === 0
      ? Result.succeed(keys.flatMap((key) => key ?? []))
      : Result.fail(
          `key ${faulty.join(", ")} of ${keys.length} is not 32 bytes in base64; make one: openssl rand -base64 32`
        )
  }
}

const publicUrl: Setting<string> = {
  name: "PUBLIC_URL",
  meaning: "how the outside reaches this server: in consent links, OpenAPI's servers and the problems' type",
  defaultText: "from HOST and PORT",
  read: (text) => Result.map(httpUrl(text), (url) => url.replace(/\/+$/, ""))
}

const consumerIdScheme: Setting<CheckCharacter.CheckScheme> = {
  name: "CONSUMER_ID_CHECK",
  meaning: "crockford, or shape: accept any check character, for identifiers that were issued elsewhere",
  defaultText: "crockford",
  read: (text) =>
    Result.map(oneOf("crockford", "shape")(text), (choice) =>
      choice === "shape" ? CheckCharacter.shapeOnly : CheckCharacter.crockford
    )
}

const kycTiers: Setting<ReadonlyArray<string>> = {
  name: "KYC_TIERS",
  meaning: "a comma list of the tiers that a person can have, lowest first; a verification raises to one of these only",
  defaultText: defaultSettings.tiers.join(","),
  read: (text) => {
    const tiers = text.split(",").map((tier) => tier.trim())
    return isTierList(tiers)
      ? Result.succeed(tiers)
      : Result.fail(`is "${text}"; it must list different tiers, each of 1 to 32 characters, such as TIER_1,TIER_2`)
  }
}

/** A token is to take no less than the hundredth part of a millisecond, which is what the database's clock tells apart. */
const mostPerSecond = 100_000

const rateLimitRefunds: Setting<number> = {
  name: "RATE_LIMIT_REFUNDS",
  meaning: "refunds a second for each merchant and environment; 0: no limit",
  defaultText: "100",
  read: wholeNumber(0, mostPerSecond)
}

const rateLimitRefundsBurst: Setting<number> = {
  name: "RATE_LIMIT_REFUNDS_BURST",
  meaning: "how many refunds may come at once after a pause",
  defaultText: "200, or RATE_LIMIT_REFUNDS where that is more",
  read: wholeNumber(1, 1_000_000)
}

const rateLimitOther: Setting<number> = {
  name: "RATE_LIMIT_OTHER",
  meaning: "other requests a second for each merchant and environment, twice as many at once; 0: no limit",
  defaultText: "500",
  read: wholeNumber(0, mostPerSecond)
}

const rateLimitProvisioning: Setting<number> = {
  name: "RATE_LIMIT_PROVISIONING",
  meaning: "requests to /merchants… and failed authentications a minute for each client address; 0: no limit",
  defaultText: "development: 0; production: 60",
  read: wholeNumber(0, mostPerSecond)
}

const networkOf = (text: string): Result.Result<IpNetwork.IpNetwork, string> =>
  Result.mapError(
    Result.flatMap(NetAddress.ipFromString(text), (address) => IpNetwork.make(address, NetAddress.width(address))).pipe(
      Result.orElse(() => IpNetwork.fromString(text))
    ),
    () => text
  )

const trustedProxies: Setting<ReadonlyArray<IpNetwork.IpNetwork>> = {
  name: "TRUSTED_PROXIES",
  meaning: "addresses and networks, comma separated, of the proxies whose X-Forwarded-For is believed: 10.0.0.0/8",
  defaultText: "none: a client's address is that of its connection",
  read: (text) =>
    Result.mapError(
      Result.all(text.split(",").map((part) => networkOf(part.trim()))),
      (part) => `has "${part}", which is neither an address nor a network such as 10.0.0.0/8`
    )
}

const workers: Setting<boolean> = {
  name: "WORKERS",
  meaning: "on, or off: a server that serves and sends nothing (no webhooks, hooks, sweeps or recoveries)",
  defaultText: "on",
  read: (text) => Result.map(oneOf("on", "off")(text), (choice) => choice === "on")
}

const metrics: Setting<Access> = {
  name: "METRICS",
  meaning: "who may read /metrics: open, token (the operator's) or off",
  defaultText: "development: open; production: token",
  read: access
}

const docs: Setting<boolean> = {
  name: "DOCS",
  meaning: "on, or off: whether /docs and /openapi.json are served",
  defaultText: "on",
  read: (text) => Result.map(oneOf("on", "off")(text), (choice) => choice === "on")
}

const logLevels = {
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  none: "None"
} as const satisfies Record<string, LogLevel.LogLevel>

const logLevel: Setting<LogLevel.LogLevel> = {
  name: "LOG_LEVEL",
  meaning: "debug, info, warning, error or none",
  defaultText: "info",
  read: (text) =>
    Result.map(oneOf("debug", "info", "warning", "error", "none")(text.toLowerCase()), (choice) => logLevels[choice])
}

/** Every setting of the standalone server: what is read, what `surety --help` lists, and what the docs show. */
export const settingTable = {
  profile,
  host,
  port,
  basePath,
  databaseUrl,
  databaseConnections,
  dataDir,
  operatorToken,
  provisioning,
  secretKeys,
  publicUrl,
  consentNotifyUrl: consentSettings.notifyUrl,
  consentNotifySecret: consentSettings.notifySecret,
  consentCode: consentSettings.code,
  consentPageName: consentSettings.pageName,
  consentPageContact: consentSettings.pageContact,
  consentPageLanguages: consentSettings.pageLanguages,
  consentAsksOpen: consentSettings.asksOpen,
  consentAsksPerDay: consentSettings.asksPerDay,
  consentAskAgainAfter: consentSettings.askAgainAfter,
  consumerIdScheme,
  kycTiers,
  rateLimitRefunds,
  rateLimitRefundsBurst,
  rateLimitOther,
  rateLimitProvisioning,
  trustedProxies,
  workers,
  metrics,
  docs,
  logLevel
}
