import { Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { OptionCheck } from "./Check.js"

const keyLength = 32
const advice = "make one: openssl rand -base64 32"

const readKey = (text: string, position: number): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  const bytes = Base64.decode(text.trim())
  return Result.isSuccess(bytes) && bytes.success.length === keyLength
    ? Result.succeed(Redacted.make(bytes.success, { label: "secret key" }))
    : Result.fail(`key ${position} is not ${keyLength} bytes in base64; ${advice}`)
}

/**
 * Decodes each key of the option, which is a list or a comma-separated string. An invalid key fails with the reason.
 */
export const readKeys = (secretsKey: string | ReadonlyArray<string>) =>
  (typeof secretsKey === "string" ? secretsKey.split(",") : secretsKey).map((text, index) => readKey(text, index + 1))

const isKeys = Schema.is(Schema.Union([Schema.String, Schema.Array(Schema.String)]))

/** Checks that `secretsKey` has at least one key, and that each is 32 bytes in base64. */
export const secretKeys: OptionCheck = (value, name) => {
  if (value === undefined) return [`${name}: is missing; ${advice}`]
  if (!isKeys(value)) return [`${name}: must be a string or a list of strings`]
  const keys = readKeys(value)
  if (keys.length === 0) return [`${name}: is an empty list`]
  return keys.flatMap((key) => (Result.isFailure(key) ? [`${name}: ${key.failure}`] : []))
}
