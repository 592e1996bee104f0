import { Schema } from "effect"
import { atMost } from "./Text.js"

const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

const hasCredentials = (url: string): boolean => {
  const { password, username } = new URL(url)
  return username !== "" || password !== ""
}

/** An absolute http or https url of at most 2,048 characters. Whoever calls it checks more: see `TargetPolicy`. */
export const WebUrl = Schema.String.check(
  atMost(2048),
  Schema.makeFilter(isWebUrl, {
    expected: "an absolute http or https url",
    code: "url_invalid",
    toJsonSchema: () => ({ format: "uri" })
  })
).annotate({ examples: ["https://shop.example"] })

/** The same for people to follow: without a user name and password, which can look like another host. */
export const SiteUrl = WebUrl.check(
  Schema.makeFilter((url: string) => !isWebUrl(url) || !hasCredentials(url), {
    expected: "a url without user name and password",
    code: "url_credentials"
  })
)
