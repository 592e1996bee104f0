import { Result, Schema } from "effect"

/**
 * 1 to 255 printable ASCII characters, chosen by the caller for one command (contract 6). Retries of the command repeat
 * the key.
 */
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7e]{1,255}$/u, { expected: "1 to 255 printable ASCII characters" })
).pipe(Schema.brand("IdempotencyKey"))
export type IdempotencyKey = typeof IdempotencyKey.Type

const isKey = Schema.is(IdempotencyKey)
const printable = /^[\t\x20-\x7e]*$/u
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/u
/**
 * Matches a quoted string followed by parameters or further list items. Such a header is rejected: another
 * implementation of the IETF draft may take only the first string as the key.
 */
const ambiguous = /^"(?:[^"\\]|\\["\\])*"[\t ]*[;,]/u

/**
 * Parses the `Idempotency-Key` header. The quoted form of the IETF draft (a structured-field string) denotes the same
 * key as the bare form. A quoted key followed by parameters or further list items is rejected.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export const parse = (header: string): Result.Result<IdempotencyKey, "invalid"> => {
  // Checked before trimming, which would drop white space outside ASCII and so make two different keys equal.
  if (!printable.test(header)) return Result.fail("invalid")
  const trimmed = header.trim()
  if (ambiguous.test(trimmed)) return Result.fail("invalid")
  const inner = quoted.exec(trimmed)?.[1]
  const key = inner === undefined ? trimmed : inner.replace(/\\(["\\])/gu, "$1")
  return isKey(key) ? Result.succeed(key) : Result.fail("invalid")
}
