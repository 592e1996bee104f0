import { Result } from "effect"
import { Base64Url } from "effect/encoding"

/** Ids that can be used in an address unencoded. */
const plain = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/u

/** Prefix of ids encoded in base64url. */
const mark = "~"

/**
 * Builds the path of a payment's page. The id is the merchant's own, so anything not plain, such as `2026/17`, is
 * encoded in base64url.
 */
export const paymentPath = (merchantId: string, id: string): string =>
  `merchants/${merchantId}/payments/${plain.test(id) ? id : mark + Base64Url.encode(id)}`

/** Reads the id from a payment's address. Returns an empty string if it is invalid. */
export const paymentIdIn = (segment: string): string => {
  if (!segment.startsWith(mark)) return segment
  const id = Base64Url.decodeString(segment.slice(mark.length))
  return Result.isSuccess(id) && !plain.test(id.success) ? id.success : ""
}
