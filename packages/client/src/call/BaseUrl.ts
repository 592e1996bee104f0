import { UsageError } from "../SuretyError.js"

const loopback = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u

const refuse = (why: string): never => {
  throw new UsageError(`baseUrl must be the service's url, such as https://pay.example/api; the given value ${why}.`)
}

const parse = (baseUrl: unknown): URL => {
  try {
    return new URL(String(baseUrl))
  } catch {
    return refuse("is not an absolute url")
  }
}

/**
 * Returns the service's base url without a trailing slash or `/v1`, which every operation's path includes. Accepts
 * https, and http to this machine. Throws `UsageError` for anything else, and for a url with credentials, a query or a
 * fragment.
 */
export const readBaseUrl = (baseUrl: unknown): string => {
  const url = parse(baseUrl)
  if (url.username !== "" || url.password !== "") refuse("has a user name or password")
  if (url.search !== "" || url.hash !== "") refuse("has a query or a fragment")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.test(url.hostname))) {
    refuse("is not https, which is required except for this machine")
  }
  return url.origin + url.pathname.replace(/\/+$/u, "").replace(/\/+v1$/u, "")
}
