import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { Result } from "effect"
import * as HostName from "../HostName.js"
import { type AddressRule, refusalOf } from "./AddressRule.js"

/** The host of a url that may be called, as far as the url tells. */
export interface TargetHost {
  readonly name: string
  /** Whether the name is an address: then there is nothing to look up, and the rule has been asked. */
  readonly isAddress: boolean
}

const refuse = (code: string, detail: string): Result.Result<never, TargetNotAllowed> =>
  Result.fail(new TargetNotAllowed({ code, detail }))

/** What other readers of urls take for something else than the WHATWG's, which drops or mends it. */
const ambiguous = /[\s\p{Cc}\\]|^https:(?!\/\/[^/])/iu

const invalid = () =>
  refuse("url_invalid", "Send an absolute url without spaces and backslashes, such as https://example.com/webhooks.")

const isAllowedPort = (port: string): boolean => port === "" || Number(port) === 443 || Number(port) >= 1024

const checkHost = (host: string, rule: AddressRule): Result.Result<TargetHost, TargetNotAllowed> => {
  const literal = host.startsWith("[") ? host.slice(1, -1) : /^\d+(?:\.\d+){3}$/.test(host) ? host : undefined
  if (literal !== undefined) {
    const refusal = refusalOf(rule, literal, [literal])
    return refusal === undefined ? Result.succeed({ name: literal, isAddress: true }) : Result.fail(refusal)
  }
  const name = HostName.withoutRootDot(host)
  if (!HostName.isWellFormed(name)) return invalid()
  if (!HostName.isPublic(name)) {
    return refuse("url_host_not_public", "Send a url whose host has a public name, such as hooks.example.com.")
  }
  return Result.succeed({ name, isAddress: false })
}

/**
 * Checks what can be told of a webhook's url without looking its host up (contract 11). The url is read as the WHATWG
 * says, like the HTTP client reads it, so that other ways to write an address or a name come to the same.
 *
 * Refusals, in the order in which they are looked for: `url_invalid`, `url_not_https`, `url_credentials`,
 * `url_port_not_allowed`, `url_host_not_public`, `url_address_not_public`.
 */
export const check = (url: string, rule: AddressRule): Result.Result<TargetHost, TargetNotAllowed> => {
  if (!URL.canParse(url)) return invalid()
  const { hostname, password, port, protocol, username } = new URL(url)
  if (protocol !== "https:") return refuse("url_not_https", "Send a url that begins with https://.")
  if (ambiguous.test(url)) return invalid()
  if (username !== "" || password !== "") {
    return refuse("url_credentials", "Remove the user name and password from the url.")
  }
  if (!isAllowedPort(port))
    return refuse("url_port_not_allowed", "Send a url with port 443, or one from 1024 to 65535.")
  return checkHost(hostname, rule)
}
