import type { MeterProvider, TracerProvider } from "@opentelemetry/api"
import { readHome, readLogo } from "@surety/consent-page/look/LogoFile"
import { catalogsOf } from "@surety/consent-page/words/catalogs"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { isTierList } from "@surety/core/kyc/KycSettings"
import { isSameOperator } from "@surety/core/operator/approval/Proposal"
import { foldedName, OperatorCredential, soleOperator } from "@surety/core/operator/Operator"
import { accentFault } from "@surety/page-kit/look/Palette"
import { Layer, Predicate, Result, Schema, type Tracer } from "effect"
import { Base64 } from "effect/encoding"
import type { HostConsentNotifier } from "../host/HostConsentNotifier.js"
import type { HostDirectory } from "../host/HostDirectory.js"
import type { HostPersonData } from "../host/HostPersonData.js"
import type { HostRateLimiter } from "../host/HostRateLimiter.js"
import type { HostSignIn } from "../host/HostSignIn.js"
import type { HostWallet } from "../host/HostWallet.js"
import { thresholdsOf } from "../page/consoleRules.js"
import type {
  ConsentAskOptions,
  ConsentPageOptions,
  ConsoleOptions,
  FourEyesOptions,
  RateLimitOptions,
  RateOption,
  RetentionOptions,
  SuretyOptions
} from "../SuretyOptions.js"
import type { TelemetryOptions } from "../telemetry/Telemetry.js"
import {
  count,
  type Fields,
  method,
  must,
  type OptionCheck,
  offOr,
  oneOfOption,
  optional,
  options,
  port,
  textOption,
  yesOrNo
} from "./Check.js"
import { kycFaults, kycProviders, kycRouteLists } from "./kycOptions.js"
import { secretKeys } from "./secretKeys.js"

const leastTokenLength = 16

const layerOf = (value: unknown): unknown => (Predicate.hasProperty(value, "layer") ? value.layer : undefined)

/** True if this copy of Effect built the layer. A layer built by another copy cannot run on this one. */
const isOwnLayer = (layer: object): boolean => Object.getPrototypeOf(layer) === Object.getPrototypeOf(Layer.empty)

const store: OptionCheck = (value, name) => {
  const layer = layerOf(value)
  if (Layer.isLayer(layer)) {
    return isOwnLayer(layer)
      ? []
      : [`${name}: its layer was built with another copy of Effect; import createSurety from @surety/embed/effect`]
  }
  const fault = value === undefined ? "is missing" : "is not a store"
  return [`${name}: ${fault}; make one with postgresStore, embeddedStore or memoryStore`]
}

const isHttpUrl = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)

const hasCredentials = (value: unknown): boolean => {
  const url = typeof value === "string" ? URL.parse(value) : null
  return url !== null && (url.username !== "" || url.password !== "")
}

/** True if paths appended to a url would end up in its query or fragment. */
const hasQuery = (value: unknown): boolean => typeof value === "string" && URL.canParse(value) && /[?#]/.test(value)

/** Clients resolve the segments `.` and `..` before they send a path. */
const isBasePath = (value: unknown): boolean =>
  typeof value === "string" && /^(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*\/*$/.test(value)

const operatorToken = must(
  (value) => typeof value === "string" && value.length >= leastTokenLength,
  `must be a string of at least ${leastTokenLength} characters`
)

const isOperators = Schema.is(Schema.Array(OperatorCredential))

const operators = must(
  (value) =>
    isOperators(value) &&
    [value.map(({ name }) => foldedName(name)), value.map(({ tokenHash }) => tokenHash)].every(
      (all) => new Set(all).size === all.length
    ) &&
    value.every(({ name }) => !isSameOperator(name, soleOperator.name)),
  "must be a list of { name, role, tokenHash }: different names other than operator, a role of viewer, support, money or " +
    "admin, and the SHA-256 in lower-case hex of a token that is not empty"
)

const isFieldName = Schema.is(IdentityField)

const isTexts = Schema.is(Schema.Array(Schema.String))

const fieldNames: OptionCheck = (value, name) =>
  isTexts(value)
    ? value
        .filter((field) => !isFieldName(field))
        .map((field) => `${name}: "${field}" is not a name of lower-case letters, digits and underscores`)
    : [`${name}: must be a list of names`]

const kycTiers = must(
  (value) => isTexts(value) && isTierList(value),
  "must be a list of different tiers, lowest first, each of 1 to 32 characters"
)

const above0 = must((value) => Number.isFinite(value) && Number(value) > 0, "must be a number above 0")

const rate = optional(offOr(options<Exclude<RateOption, "off">>({ perSecond: above0, burst: count })))

const bound = optional(
  must((value) => Number.isSafeInteger(value) && Number(value) >= 0, "must be a whole number of at least 0")
)

const faultOf = (name: string, read: Result.Result<unknown, string>): ReadonlyArray<string> =>
  Result.isFailure(read) ? [`${name}: ${read.failure}`] : []

const colour =
  (mode: "light" | "dark"): OptionCheck =>
  (value, name) => {
    const fault = typeof value === "string" ? accentFault(value, mode) : "must be a colour such as #0b5d4b"
    return fault === undefined ? [] : [`${name}: ${fault}`]
  }

const consentPage = offOr(
  options<ConsentPageOptions>({
    name: optional(textOption),
    contact: optional(textOption),
    logo: optional((value, name) =>
      value instanceof Uint8Array ? faultOf(name, readLogo(value)) : [`${name}: must be the bytes of an image`]
    ),
    accent: optional(colour("light")),
    accentDark: optional(colour("dark")),
    home: optional((value, name) =>
      typeof value === "string" ? faultOf(name, readHome(value)) : [`${name}: must be a url`]
    ),
    languages: optional((value, name) => faultOf(name, catalogsOf(isTexts(value) ? value : [])))
  })
)

const upTo = (most: number) =>
  must(
    (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most,
    `must be a whole number of 1 to ${most}`
  )

const isTimeZone = (value: unknown): boolean =>
  typeof value === "string" &&
  Result.isSuccess(Result.try(() => new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions()))

const operatorConsole = offOr(
  options<ConsoleOptions>({
    name: optional(textOption),
    accent: optional(colour("light")),
    accentDark: optional(colour("dark")),
    timeZone: optional(must(isTimeZone, "must be an IANA time zone such as UTC or Africa/Lagos")),
    operatorOf: optional(method),
    fourEyes: optional(
      options<FourEyesOptions>({
        transfersFrom: optional(
          must(
            (value) => typeof value === "object" && value !== null && thresholdsOf(value) !== undefined,
            "must have amounts of at least 0 by currency, such as { NGN: 10_000 }"
          )
        ),
        adjustments: optional(yesOrNo),
        erasures: optional(yesOrNo),
        http: optional(yesOrNo)
      })
    ),
    idleMinutes: optional(upTo(7 * 24 * 60)),
    lifetimeHours: optional(upTo(7 * 24))
  })
)

const holder = port<HostPersonData>({ name: textOption, export: optional(method), erase: optional(method) })

const personData: OptionCheck = (value, name) => {
  if (!Array.isArray(value)) return [`${name}: must be a list`]
  const names = value.flatMap((part: unknown) => (Predicate.hasProperty(part, "name") ? [part.name] : []))
  return [
    ...value.flatMap((part: unknown, index) => holder(part, `${name}[${index}]`)),
    ...(new Set(names).size === names.length ? [] : [`${name}: has two parts with the same name`])
  ]
}

const isSigningSecret = (value: unknown): boolean => {
  if (typeof value !== "string" || !value.startsWith("whsec_")) return false
  const bytes = Base64.decode(value.slice("whsec_".length))
  return Result.isSuccess(bytes) && bytes.success.length >= 24
}

const platformEvents = offOr(
  options<Exclude<SuretyOptions["platformEvents"], "off" | undefined>>({
    url: must(isHttpUrl, "is not an absolute http or https url"),
    secret: must(isSigningSecret, "must be whsec_ and at least 24 bytes in base64")
  })
)

/** One check for each option of `createSurety`, independent of the other options. */
export const optionChecks: Fields<SuretyOptions> = {
  store,
  secretsKey: secretKeys,
  publicUrl: optional(must(isHttpUrl, "is not an absolute http or https url")),
  basePath: optional(must(isBasePath, "must look like /pay or /api/pay")),
  operatorToken: optional(operatorToken),
  operators: optional(operators),
  provisioning: optional(oneOfOption("open", "token", "off")),
  docs: optional(yesOrNo),
  wallet: optional(
    port<HostWallet>({ credit: method, lookup: optional(method), creditInTransaction: optional(method) })
  ),
  directory: optional(port<HostDirectory>({ fields: optional(fieldNames), values: method })),
  consentNotifier: optional(port<HostConsentNotifier>({ notify: method })),
  consentUrl: optional(method),
  consentPage: optional(consentPage),
  console: optional(operatorConsole),
  platformEvents: optional(platformEvents),
  consentAsks: optional(options<ConsentAskOptions>({ open: bound, perDay: bound, againAfterSeconds: bound })),
  signIn: optional(port<HostSignIn>({ url: textOption, isSignedIn: method })),
  kyc: optional(kycProviders),
  kycRoutes: optional(kycRouteLists),
  kycPolicy: optional(method),
  kycTiers: optional(kycTiers),
  consumerIdCheck: optional(oneOfOption("crockford", "shape")),
  personData: optional(personData),
  retention: optional(
    options<RetentionOptions>({ answers: bound, reads: bound, deliveries: bound, codes: bound, rightsRequests: bound })
  ),
  rateLimits: optional(options<RateLimitOptions>({ refunds: rate, other: rate, provisioning: rate })),
  rateLimiter: optional(port<HostRateLimiter>({ take: method })),
  targets: optional(oneOfOption("public", "any")),
  logger: optional(method),
  onError: optional(method),
  telemetry: optional(
    options<TelemetryOptions>({
      tracerProvider: optional(port<Pick<TracerProvider, "getTracer">>({ getTracer: method })),
      meterProvider: optional(port<Pick<MeterProvider, "getMeter">>({ getMeter: method }))
    })
  ),
  tracer: optional(port<Pick<Tracer.Tracer, "span">>({ span: method }))
}

/** Checks each option of `createSurety` alone, then KYC providers, credentials in urls, and combinations of options. */
export const suretyOptions = options<SuretyOptions>(
  optionChecks,
  ({
    consentNotifier,
    consentUrl,
    kyc,
    kycRoutes,
    operators: named = [],
    operatorToken,
    provisioning,
    publicUrl,
    signIn,
    telemetry,
    tracer
  }) => [
    ...kycFaults(kyc, kycRoutes),
    ...(hasQuery(publicUrl) ? ["publicUrl: must not have a query or fragment"] : []),
    ...(hasCredentials(publicUrl) ? ["publicUrl: must not have a user name or password in it"] : []),
    ...(Predicate.hasProperty(signIn, "url") && hasCredentials(signIn.url)
      ? ["signIn.url: must not have a user name or password in it"]
      : []),
    ...(tracer !== undefined &&
    Predicate.hasProperty(telemetry, "tracerProvider") &&
    telemetry.tracerProvider !== undefined
      ? ["tracer: replaces telemetry.tracerProvider; give only one of them"]
      : []),
    ...(provisioning === "token" && operatorToken === undefined && Array.isArray(named) && named.length === 0
      ? ['provisioning: "token" needs an operatorToken']
      : []),
    ...(consentNotifier !== undefined && publicUrl === undefined && consentUrl === undefined
      ? ["consentNotifier: needs publicUrl or consentUrl, since people follow the links that it sends"]
      : [])
  ]
)
