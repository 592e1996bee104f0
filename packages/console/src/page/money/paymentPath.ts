import { Result } from "effect"
import { Base64Url } from "effect/encoding"

/** Ids that need no encoding in an address. */
const plain = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/u

/** Prefix of an id that is encoded in base64url. */
const mark = "~"

/** The page of a payment. Its id is its merchant's own: any other than a plain one, such as `2026/17`, is in base64url. */
export const paymentPath = (merchantId: string, id: string): string =>
  `merchants/${merchantId}/payments/${plain.test(id) ? id : mark + Base64Url.encode(id)}`

/** The id in a payment's address; empty if it is invalid. */
export const paymentIdIn = (segment: string): string => {
  if (!segment.startsWith(mark)) return segment
  const id = Base64Url.decodeString(segment.slice(mark.length))
  return Result.isSuccess(id) && !plain.test(id.success) ? id.success : ""
}
