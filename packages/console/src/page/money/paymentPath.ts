import { Result } from "effect"
import { Base64Url } from "effect/encoding"

/** Pattern of ids that need no encoding in a url path. */
const plain = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/u

const mark = "~"

/**
 * Builds the path of a payment's page. The host chooses the id, so an id that does not match `plain`, such as
 * `2026/17`, is encoded in base64url.
 */
export const paymentPath = (merchantId: string, id: string): string =>
  `merchants/${merchantId}/payments/${plain.test(id) ? id : mark + Base64Url.encode(id)}`

/**
 * Decodes the id in the last segment of a payment's path. Returns an empty string if an encoded id cannot be decoded or
 * needed no encoding.
 */
export const paymentIdIn = (segment: string): string => {
  if (!segment.startsWith(mark)) return segment
  const id = Base64Url.decodeString(segment.slice(mark.length))
  return Result.isSuccess(id) && !plain.test(id.success) ? id.success : ""
}
