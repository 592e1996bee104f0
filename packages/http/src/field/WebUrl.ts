import { Schema } from "effect"
import { atMost } from "./Text.js"

const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** An absolute http or https url of at most 2,048 characters. */
export const WebUrl = Schema.String.check(
  atMost(2048),
  Schema.makeFilter(isWebUrl, {
    expected: "an absolute http or https url",
    code: "url_invalid",
    toJsonSchema: () => ({ format: "uri" })
  })
).annotate({ examples: ["https://shop.example"] })
