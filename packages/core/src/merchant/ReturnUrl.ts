import { Schema } from "effect"
import { atMostItems, text } from "../input/Text.js"

/** Maximum number of return urls allowed for a merchant. */
export const mostReturnUrls = 16

/**
 * Returns true if the url contains white space, a control character or a backslash, or does not begin with `https://`
 * and a host. The WHATWG parser may repair such a url; other parsers may then see a different host.
 */
const isRepaired = (text: string): boolean => /[\s\p{Cc}\\]|^(?!https:\/\/[^/])/iu.test(text)

const parse = (url: string): URL | undefined => (isRepaired(url) ? undefined : (URL.parse(url) ?? undefined))

const isAcceptable = (url: URL | undefined): url is URL =>
  url !== undefined && url.protocol === "https:" && url.username === "" && url.password === "" && url.hash === ""

const isPrefix = (text: string): boolean => {
  const url = parse(text)
  return isAcceptable(url) && url.search === "" && !text.endsWith("?") && !text.endsWith("#")
}

/** An origin and a path to which a merchant may return people. The page itself and every page below it are allowed. */
export const AllowedReturnUrl = text(2048)
  .check(
    Schema.makeFilter(isPrefix, {
      expected: "an https url of an origin and a path, without query, fragment, user name and password",
      code: "url_invalid",
      toJsonSchema: () => ({ format: "uri" })
    })
  )
  .annotate({ examples: ["https://shop.example/orders"] })

/** A merchant's allowed return urls, at most `mostReturnUrls`. */
export const ReturnUrls = Schema.Array(AllowedReturnUrl).check(atMostItems(mostReturnUrls))

/**
 * The return url of a data request. This schema checks only its length; `allowedReturnUrl` compares it with the
 * merchant's list.
 */
export const ReturnUrl = text(2048).annotate({ examples: ["https://shop.example/orders/77"] })

/** A value of at most 255 characters, returned to the merchant unchanged as `?state=`. */
export const ReturnState = text(255).annotate({ examples: ["4f1c9a"] })

/**
 * Returns true if a path equals the allowed one or is below it, by whole segments: `/a` allows `/a/b` but not `/ab`.
 */
const isBelow = (path: string, allowed: string): boolean =>
  path === allowed || path.startsWith(allowed.endsWith("/") ? allowed : `${allowed}/`)

/**
 * Returns true if the path contains an encoded slash or backslash. Such a path must be refused: `isBelow` ignores
 * these separators, but a server that decodes before splitting does not.
 */
const hasEncodedSlash = (path: string): boolean => /%(?:2f|5c)/iu.test(path)

/**
 * Returns the normalised url, or undefined if it is not allowed. It must be https, without user name, password,
 * fragment, or encoded slash or backslash in its path. Its origin must match an allowed url, and its path must equal or
 * lie below that url's path (contract 7). Dot segments are resolved first.
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

/**
 * Sets the query parameter `state` of the return url to the merchant's value, if defined. Adds nothing about the
 * decision.
 */
export const withState = (returnUrl: string, state: string | undefined): string => {
  if (state === undefined) return returnUrl
  const url = new URL(returnUrl)
  url.searchParams.set("state", state)
  return url.href
}
