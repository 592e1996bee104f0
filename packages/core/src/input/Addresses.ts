import { Schema } from "effect"
import { atMost } from "./Text.js"

const localPart = "[\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}"
const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?"
const form = new RegExp(`^${localPart}@${label}(?:\\.${label})+$`, "u")

/**
 * An e-mail address of at most 254 characters, the maximum of RFC 5321. Its letters may be of any script. Its local
 * part is unquoted and has at most 64 characters. Its domain has at least two labels.
 */
export const EmailAddress = Schema.String.check(
  atMost(254),
  Schema.makeFilter((address: string) => form.test(address), {
    expected: "an e-mail address such as ada@shop.example",
    code: "email_invalid",
    toJsonSchema: () => ({ format: "email" })
  })
).annotate({ examples: ["ada@shop.example"] })

const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

const hasCredentials = (url: string): boolean => {
  const { password, username } = new URL(url)
  return username !== "" || password !== ""
}

/**
 * An absolute http or https url of at most 2,048 characters. A webhook's url must also pass the checks of
 * `TargetPolicy`.
 */
export const WebUrl = Schema.String.check(
  atMost(2048),
  Schema.makeFilter(isWebUrl, {
    expected: "an absolute http or https url",
    code: "url_invalid",
    toJsonSchema: () => ({ format: "uri" })
  })
).annotate({ examples: ["https://shop.example"] })

/**
 * A url for people to follow. It must contain no user name or password, since these can make it look like another
 * site's url.
 */
export const SiteUrl = WebUrl.check(
  Schema.makeFilter((url: string) => !isWebUrl(url) || !hasCredentials(url), {
    expected: "a url without user name and password",
    code: "url_credentials"
  })
)
