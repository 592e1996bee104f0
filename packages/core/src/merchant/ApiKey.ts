import { DateTime, Effect, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { Environment } from "../Environment.js"
import { ApiKeyId, MerchantId } from "../Ids.js"
import { KeyScope } from "./KeyScope.js"

/** SHA-256 of a key's secret, in hex. The secret has 256 random bits, so a fast hash is safe. */
export const ApiKeyHash = Schema.String.pipe(Schema.brand("ApiKeyHash"))
export type ApiKeyHash = typeof ApiKeyHash.Type

/** A key as stored, without its secret. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  merchantId: MerchantId,
  environment: Environment,
  hash: ApiKeyHash,
  last4: Schema.String,
  createdAt: Schema.DateTimeUtc,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Display name, chosen when the key is created. A rotation keeps it. */
  name: Schema.optionalKey(Schema.String),
  /** Scopes granted to the key. If absent, all. */
  scopes: Schema.optionalKey(Schema.Array(KeyScope)),
  /** From this time on, the key is rejected. */
  expiresAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Time of the last logged use, accurate to about a minute. Absent if no use was logged. */
  lastUsedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type ApiKey = typeof ApiKey.Type

/** Returns true if the key is not revoked and has not expired at `at`. */
export const isKeyInForce = ({ expiresAt, revokedAt }: ApiKey, at: DateTime.Utc): boolean =>
  revokedAt === undefined && (expiresAt === undefined || DateTime.isLessThan(at, expiresAt))

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 43
const checksumLength = 6
const prefixes: Readonly<Record<Environment, string>> = { TEST: "sk_test_", LIVE: "sk_live_" }
const form = new RegExp(`^(sk_test_|sk_live_)[0-9A-Za-z]{${randomLength + checksumLength}}$`)

const toBase62 = (number: bigint, length: number): string => {
  let text = ""
  for (let rest = number; text.length < length; rest /= 62n) text = base62.charAt(Number(rest % 62n)) + text
  return text
}

/** Lookup table for CRC32, which is computed for each request with a well-formed API key. */
const crcOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index += 1) {
    crc = (crc >>> 8) ^ (crcOfByte[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ""
  while (digits.length < checksumLength) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * Generates a secret: `sk_test_` or `sk_live_`, 32 random bytes (43 characters), and the CRC32 of all preceding
 * characters (6 characters). The bytes and the CRC32 are in base 62. The checksum lets a secret scanner recognise a
 * real key offline (contract 1.4).
 */
export const nextSecret = Effect.fnUntraced(function* (environment: Environment) {
  const bytes = yield* (yield* SecureRandom.SecureRandom).randomBytes(32)
  const text = prefixes[environment] + toBase62(BigInt(`0x${Hex.encode(bytes)}`), randomLength)
  return Redacted.make(text + checksum(text), { label: "api key" })
})

/**
 * Returns the environment of a secret. Returns `undefined` if the secret's form or checksum is wrong, so a mistyped key
 * need not be looked up.
 */
export const environmentOf = (secret: Redacted.Redacted<string>): Environment | undefined => {
  const text = Redacted.value(secret)
  if (!form.test(text) || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
  return text.startsWith(prefixes.LIVE) ? "LIVE" : "TEST"
}

/** Returns the hash under which a secret is stored and looked up. */
export const apiKeyHash = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>) {
  const digest = yield* Digest.Digest
  return ApiKeyHash.make(yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(Redacted.value(secret))))
})

/** Returns the last four characters, by which a merchant recognises a key. */
export const last4Of = (secret: Redacted.Redacted<string>): string => Redacted.value(secret).slice(-4)
