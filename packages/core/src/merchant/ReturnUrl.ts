import { Schema } from "effect"
import { atMostItems, text } from "../input/Text.js"

/** The most addresses that a merchant may lead people back to. */
export const mostReturnUrls = 16

/** Forms that the WHATWG parser repairs, but other parsers read as a different host. */
const isRepaired = (text: string): boolean => /[\s\p{Cc}\\]|^(?!https:\/\/[^/])/iu.test(text)

const parse = (url: string): URL | undefined => (isRepaired(url) ? undefined : (URL.parse(url) ?? undefined))

/** An address that people may be led back to: https, without user name, password or fragment. */
const isAcceptable = (url: URL | undefined): url is URL =>
  url !== undefined && url.protocol === "https:" && url.username === "" && url.password === "" && url.hash === ""

const isPrefix = (text: string): boolean => {
  const url = parse(text)
  return isAcceptable(url) && url.search === "" && !text.endsWith("?") && !text.endsWith("#")
}

/** An address of a merchant's list: an origin and a path, below which any page of the merchant may be named. */
export const AllowedReturnUrl = text(2048)
  .check(
    Schema.makeFilter(isPrefix, {
      expected: "an https url of an origin and a path, without query, fragment, user name and password",
      code: "url_invalid",
      toJsonSchema: () => ({ format: "uri" })
    })
  )
  .annotate({ examples: ["https://shop.example/orders"] })

/** A merchant's list. */
export const ReturnUrls = Schema.Array(AllowedReturnUrl).check(atMostItems(mostReturnUrls))

/** Where a request leads the person back to. Whether it is allowed is decided with the merchant's list. */
export const ReturnUrl = text(2048).annotate({ examples: ["https://shop.example/orders/77"] })

/** What comes back to the merchant unchanged, as `?state=`. */
export const ReturnState = text(255).annotate({ examples: ["4f1c9a"] })

/** Whether a path is the allowed one or below it, by whole segments: `/a` allows `/a/b` and not `/ab`. */
const isBelow = (path: string, allowed: string): boolean =>
  path === allowed || path.startsWith(allowed.endsWith("/") ? allowed : `${allowed}/`)

/** An encoded slash or backslash is one segment here and two for servers that decode first. */
const hasEncodedSlash = (path: string): boolean => /%(?:2f|5c)/iu.test(path)

/**
 * The url, normalised, if it is https and has the exact origin and path prefix of an allowed one (contract 7). Dot
 * segments are resolved before they are compared.
 */
export const allowedReturnUrl = (sent: string, allowed: ReadonlyArray<string>): string | undefined => {
  const url = parse(sent)
  if (!isAcceptable(url) || hasEncodedSlash(url.pathname)) return undefined
  const isAllowed = allowed.some((one) => {
    const prefix = parse(one)
    return prefix !== undefined && prefix.origin === url.origin && isBelow(url.pathname, prefix.pathname)
  })
  return isAllowed ? url.href : undefined
}

/** The address with the merchant's `state`. Nothing of the decision is added. */
export const withState = (returnUrl: string, state: string | undefined): string => {
  if (state === undefined) return returnUrl
  const url = new URL(returnUrl)
  url.searchParams.set("state", state)
  return url.href
}
