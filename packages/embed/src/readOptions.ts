import { IdentityField } from "@surety/core/consumer/IdentityField"
import { type Array as Arr, Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { RateOption, SuretyOptions } from "./SuretyOptions.js"

/** Options that nothing can be started with. The message names every fault. */
export class InvalidOptions extends Error {
  readonly _tag = "InvalidOptions"
  readonly faults: ReadonlyArray<string>

  constructor(faults: ReadonlyArray<string>) {
    super(`Surety cannot be created:\n${faults.map((fault) => `- ${fault}`).join("\n")}`)
    this.name = "InvalidOptions"
    this.faults = faults
  }
}

/** What the options say, understood. */
export interface ReadOptions {
  readonly secretKeys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>
  readonly operatorToken: Redacted.Redacted<string> | undefined
  readonly basePath: string
  readonly publicUrl: string
}

const keyLength = 32
const leastTokenLength = 16

const readKey = (text: string, position: number): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  const bytes = Base64.decode(text.trim())
  return Result.isSuccess(bytes) && bytes.success.length === keyLength
    ? Result.succeed(Redacted.make(bytes.success, { label: "secret key" }))
    : Result.fail(`secretsKey: key ${position} is not ${keyLength} bytes in base64; make one: openssl rand -base64 32`)
}

const readKeys = (sent: SuretyOptions["secretsKey"]) =>
  (typeof sent === "string" ? sent.split(",") : sent).map((text, index) => readKey(text, index + 1))

const trimmed = (url: string): string => url.replace(/\/+$/, "")

const isFieldName = Schema.is(IdentityField)

const isLimit = ({ burst, perSecond }: Exclude<RateOption, "off">): boolean =>
  Number.isFinite(perSecond) && perSecond > 0 && Number.isSafeInteger(burst) && burst >= 1

const isHttpUrl = (url: string): boolean => URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol)

/** Understands the options, or throws `InvalidOptions`. */
export const readOptions = (options: Omit<SuretyOptions, "store">): ReadOptions => {
  const { operatorToken, publicUrl } = options
  const keys = readKeys(options.secretsKey ?? "")
  const basePath = trimmed(options.basePath ?? "")
  const faults = [
    ...keys.flatMap((key) => (Result.isFailure(key) ? [key.failure] : [])),
    ...(keys.length === 0 ? ["secretsKey: there is none"] : []),
    ...(operatorToken !== undefined && operatorToken.length < leastTokenLength
      ? [`operatorToken: must have at least ${leastTokenLength} characters`]
      : []),
    ...(options.provisioning === "token" && operatorToken === undefined
      ? ['provisioning: "token" needs an operatorToken']
      : []),
    ...(/^(\/[A-Za-z0-9._~-]+)*$/.test(basePath) ? [] : ["basePath: must look like /pay or /api/pay"]),
    ...(publicUrl === undefined || isHttpUrl(publicUrl) ? [] : ["publicUrl: is not an absolute http or https url"]),
    ...(options.consentNotifier !== undefined && publicUrl === undefined && options.consentUrl === undefined
      ? ["consentNotifier: needs publicUrl or consentUrl, since people follow the links that it brings"]
      : []),
    ...Object.entries(options.rateLimits ?? {})
      .filter(([, limit]) => limit !== undefined && limit !== "off" && !isLimit(limit))
      .map(([name]) => `rateLimits.${name}: needs perSecond above 0 and burst, a whole number of at least 1`),
    ...(options.directory?.fields ?? [])
      .filter((name) => !isFieldName(name))
      .map((name) => `directory.fields: "${name}" is not a name of lower-case letters, digits and underscores`)
  ]
  const [first, ...others] = keys.flatMap((key) => (Result.isSuccess(key) ? [key.success] : []))
  if (faults.length > 0 || first === undefined) throw new InvalidOptions(faults)
  return {
    secretKeys: [first, ...others],
    operatorToken: operatorToken === undefined ? undefined : Redacted.make(operatorToken, { label: "operator token" }),
    basePath,
    publicUrl: trimmed(publicUrl ?? `http://localhost${basePath}`)
  }
}
