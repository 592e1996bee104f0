import { UsageError } from "../SuretyError.js"

const loopback = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u

const refuse = (why: string): never => {
  throw new UsageError(
    `baseUrl is where the service is reached, such as https://pay.example/api; what was given ${why}.`
  )
}

const parse = (baseUrl: unknown): URL => {
  try {
    return new URL(String(baseUrl))
  } catch {
    return refuse("is no absolute url")
  }
}

/**
 * Returns the service's base url without a trailing slash or `/v1`, which every operation's path includes. Accepts
 * https, and http to this machine. Throws `UsageError` for anything else, and for a url with credentials, a query or a
 * fragment.
 */
export const readBaseUrl = (baseUrl: unknown): string => {
  const url = parse(baseUrl)
  if (url.username !== "" || url.password !== "") refuse("has a user name or a password in it")
  if (url.search !== "" || url.hash !== "") refuse("has a query or a fragment")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.test(url.hostname))) {
    refuse("is not https, which it must be for every host but this machine")
  }
  return url.origin + url.pathname.replace(/\/+$/u, "").replace(/\/+v1$/u, "")
}
