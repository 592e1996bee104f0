/**
 * Under these no public host can stand: RFC 6761 (`localhost`), RFC 6762 (`local`, and its appendix G), RFC 8375
 * (`home.arpa`), and `internal`, which ICANN keeps for private use and the clouds use for theirs.
 */
const privateSuffixes: ReadonlyArray<string> = [
  ...["localhost", "localdomain", "local", "internal"],
  ...["intranet", "private", "corp", "home", "lan", "home.arpa"]
]

/** Metadata services of clouds whose names look like any other's. */
const metadataNames: ReadonlyArray<string> = [
  ...["metadata.goog", "metadata.azure.com", "metadata.oraclecloud.com", "api.metadata.cloud.ibm.com"],
  ...["metadata.tencentyun.com", "metadata.exoscale.com", "metadata.packet.net", "metadata.platformequinix.com"]
]

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

const isBelow = (name: string, suffix: string): boolean => name === suffix || name.endsWith(`.${suffix}`)

/** The name without the dot at the end that says that it is complete. */
export const withoutRootDot = (host: string): string => (host.endsWith(".") ? host.slice(0, -1) : host)

/** Whether a host's name, in lower case and punycode and without the last dot, has a form that DNS can hold (RFC 1035). */
export const isWellFormed = (name: string): boolean =>
  name.length <= 253 && name.split(".").every((part) => label.test(part))

/**
 * Whether a host's name can be one on the internet. A name without a dot means a different host in each network
 * (`metadata`, `instance-data`, `kubernetes`).
 */
export const isPublic = (name: string): boolean =>
  name.includes(".") &&
  !privateSuffixes.some((suffix) => isBelow(name, suffix)) &&
  !metadataNames.some((suffix) => isBelow(name, suffix))
