import type { Hmac, HmacKey } from "./Hmac.js"
import { utf8 } from "./utf8.js"

/** The secret as shown to the merchant, or several during a rotation. `undefined` counts as a missing secret. */
export type Secrets = string | ReadonlyArray<string> | undefined

/**
 * A Standard Webhooks secret: `whsec_` and the padded base64 of 24 to 64 bytes, as the standard allows.
 *
 * Accepts only the standard alphabet and complete groups. Libraries decode other variants differently, which causes
 * failures that are hard to diagnose.
 */
const form =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

const decode = (secret: string): Uint8Array<ArrayBuffer> | undefined =>
  form.test(secret)
    ? Uint8Array.from(atob(secret.slice("whsec_".length)), (character) => character.charCodeAt(0))
    : undefined

const encode = (secret: string): Uint8Array<ArrayBuffer> | undefined =>
  secret.trim() === secret ? utf8(secret) : undefined

/**
 * Returns the keys of the Standard Webhooks signature (the decoded bytes after `whsec_`), or an error message if a
 * secret is missing or invalid.
 */
export const standardKeys = (hmac: Hmac, secrets: Secrets): ReadonlyArray<HmacKey> | string =>
  keys(
    secrets,
    (secret) => hmac.key(secret, () => decode(secret)),
    "does not have the form whsec_ and base64: pass the complete secret from the response that registered the endpoint, with the = at its end. An API key (sk_…) is not a webhook secret"
  )

/**
 * Returns the keys of `X-Service-Signature` (the complete secret as shown, in UTF-8), or an error message if a secret
 * is missing or invalid. Rejects surrounding white space, since no issued secret has any.
 */
export const serviceKeys = (hmac: Hmac, secrets: Secrets): ReadonlyArray<HmacKey> | string =>
  keys(secrets, (secret) => hmac.key(`service:${secret}`, () => encode(secret)), "has white space around it: remove it")

const keys = (
  secrets: Secrets,
  toKey: (secret: string) => HmacKey | undefined,
  otherForm: string
): ReadonlyArray<HmacKey> | string => {
  const given: ReadonlyArray<unknown> = Array.isArray(secrets) ? secrets : [secrets]
  const found: Array<HmacKey> = []
  for (const secret of given) {
    const isThere = typeof secret === "string" && secret !== ""
    const key = isThere ? toKey(secret) : undefined
    if (key === undefined) {
      const fault = isThere ? otherForm : "is missing: check that its setting is set"
      return `Webhook secret ${found.length + 1} of ${given.length} ${fault}.`
    }
    found.push(key)
  }
  return found.length > 0 ? found : "The list has no webhook secret."
}
