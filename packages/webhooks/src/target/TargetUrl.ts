import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { Result } from "effect"
import { type AddressRule, addressRefusal } from "./AddressRule.js"

/**
 * Suffixes that no public host has. They come from RFC 6761 (`localhost`), RFC 6762 (`local`, and its appendix G) and
 * RFC 8375 (`home.arpa`). ICANN reserves `internal` for private use. `localdomain` is private by convention.
 */
const privateSuffixes: ReadonlyArray<string> = [
  ...["localhost", "localdomain", "local", "internal"],
  ...["intranet", "private", "corp", "home", "lan", "home.arpa"]
]

/** Cloud metadata services with ordinary-looking names. */
const metadataNames: ReadonlyArray<string> = [
  ...["metadata.goog", "metadata.azure.com", "metadata.oraclecloud.com", "api.metadata.cloud.ibm.com"],
  ...["metadata.tencentyun.com", "metadata.exoscale.com", "metadata.packet.net", "metadata.platformequinix.com"]
]

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

const isBelow = (name: string, suffix: string): boolean => name === suffix || name.endsWith(`.${suffix}`)

/** Removes the trailing dot of a fully qualified name. */
export const withoutRootDot = (host: string): string => (host.endsWith(".") ? host.slice(0, -1) : host)

/**
 * True if a name in lower-case punycode, without a trailing dot, is valid in DNS (RFC 1035). Underscores are allowed.
 */
const isDnsName = (name: string): boolean => name.length <= 253 && name.split(".").every((part) => label.test(part))

/**
 * True if a name can be public. A name without a dot means a different host in each network (`metadata`, `kubernetes`).
 */
const isPublic = (name: string): boolean =>
  name.includes(".") &&
  !privateSuffixes.some((suffix) => isBelow(name, suffix)) &&
  !metadataNames.some((suffix) => isBelow(name, suffix))

/** The host of a url that passed all checks that need no lookup. */
export interface TargetHost {
  readonly name: string
  /** True if the name is an address. The rule has checked it, so it needs no lookup. */
  readonly isAddress: boolean
}

const refuse = (code: string, detail: string): Result.Result<never, TargetNotAllowed> =>
  Result.fail(new TargetNotAllowed({ code, detail }))

/** Characters and forms that the WHATWG parser drops or repairs but other parsers read differently. */
const ambiguous = /[\s\p{Cc}\\]|^https:(?!\/\/[^/])/iu

const invalid = () =>
  refuse("url_invalid", "Send an absolute url without spaces or backslashes, such as https://example.com/webhooks.")

const isAllowedPort = (port: string): boolean => port === "" || Number(port) === 443 || Number(port) >= 1024

const checkHost = (host: string, rule: AddressRule): Result.Result<TargetHost, TargetNotAllowed> => {
  const literal = host.startsWith("[") ? host.slice(1, -1) : /^\d+(?:\.\d+){3}$/.test(host) ? host : undefined
  if (literal !== undefined) {
    const refusal = addressRefusal(rule, literal, [literal])
    return refusal === undefined ? Result.succeed({ name: literal, isAddress: true }) : Result.fail(refusal)
  }
  const name = withoutRootDot(host)
  if (!isDnsName(name)) return invalid()
  if (!isPublic(name)) {
    return refuse("url_host_not_public", "Send a url whose host has a public name, such as hooks.example.com.")
  }
  return Result.succeed({ name, isAddress: false })
}

/**
 * Checks the url of a webhook or hook without a lookup (contract 11). Parses it by the WHATWG's rules, as the HTTP
 * client does. The parser gives each address a single canonical form, so no other notation evades the check.
 *
 * Refusals: `url_invalid`, `url_not_https`, `url_credentials`, `url_port_not_allowed`, `url_host_not_public` and
 * `url_address_not_public`. The first check that fails decides.
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

/**
 * Returns a host in the canonical form of the WHATWG parser, without a trailing dot. Returns undefined if the text is
 * not exactly a host.
 */
export const hostOf = (text: string): string | undefined => {
  const url = `http://${text.includes(":") && !text.startsWith("[") ? `[${text}]` : text}/`
  // Nothing may follow the brackets. The check of `port` would miss `[::1]:80`, because the parser drops port 80.
  if (!/^(?:\[[^\]]*\]|[^\s/?#@\\*[\]]+)$/u.test(text) || !URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  return port === "" && hostname !== "" ? withoutRootDot(hostname) : undefined
}

/** True if a url's host is one of `hosts`. Subdomains do not count. */
export const isNamed = (url: string, hosts: ReadonlyArray<string>): boolean =>
  URL.canParse(url) && hosts.includes(withoutRootDot(new URL(url).hostname))
