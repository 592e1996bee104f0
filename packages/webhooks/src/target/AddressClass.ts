import ipaddr from "ipaddr.js"

/**
 * Class of an IP address, from a webhook sender's point of view. Only `public` addresses may be called.
 *
 * - `public`: one host on the internet (global unicast).
 * - `loopback`, `private`, `link_local`, `shared` (carrier-grade NAT), `multicast`, `broadcast`, `unspecified`.
 * - `cloud_metadata`: a metadata service, from which a cloud's machines fetch their credentials.
 * - `embedded_ipv4`: IPv6 with an embedded IPv4 address (mapped, compatible, translated, NAT64, 6to4, Teredo).
 *   The network decides which host such an address reaches.
 * - `reserved`: for documentation, benchmarks or protocols, or unassigned.
 * - `malformed`: not an address, or ambiguous between parsers (`010.0.0.1`).
 */
export type AddressClass =
  | "public"
  | "loopback"
  | "private"
  | "link_local"
  | "shared"
  | "multicast"
  | "broadcast"
  | "unspecified"
  | "cloud_metadata"
  | "embedded_ipv4"
  | "reserved"
  | "malformed"

/**
 * Metadata services that every machine in a cloud can reach. Most lie in ranges that are refused anyway, but Azure's
 * 168.63.129.16 and Equinix's 192.80.8.124 look like ordinary internet addresses.
 */
const metadataRanges: ReadonlyArray<string> = [
  "169.254.169.254/32", // AWS, Google, Azure, Oracle, OpenStack and most others
  "169.254.170.0/24", // AWS: credentials of containers (ECS) and pods (EKS)
  "169.254.0.23/32", // Tencent
  "169.254.42.42/32", // Scaleway
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure WireServer
  "192.0.0.192/32", // Oracle Cloud Infrastructure Classic
  "192.80.8.124/32", // Equinix Metal, formerly Packet
  "fd00:ec2::/32", // AWS
  "fd20:ce::254/128", // Google
  "fd00:42::42/128" // Scaleway
]

/** Classes of the ranges that `ipaddr.js` names. All other special ranges are `reserved`. */
const classes: Readonly<Record<string, AddressClass>> = {
  unicast: "public",
  unspecified: "unspecified",
  broadcast: "broadcast",
  multicast: "multicast",
  linkLocal: "link_local",
  loopback: "loopback",
  carrierGradeNat: "shared",
  private: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  ipv4Mapped: "embedded_ipv4",
  rfc6145: "embedded_ipv4",
  rfc6052: "embedded_ipv4",
  "6to4": "embedded_ipv4",
  teredo: "embedded_ipv4"
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [base: Address, prefixLength: number]

const within = (address: Address, [base, prefixLength]: Range): boolean =>
  address.kind() === base.kind() && address.match(base, prefixLength)

const metadata: ReadonlyArray<Range> = metadataRanges.map((range) => ipaddr.parseCIDR(range))

/**
 * IPv4-compatible addresses (RFC 4291, 2.5.5.1). The library reports them as `unicast` unless they are in dotted form.
 */
const ipv4Compatible: Range = ipaddr.parseCIDR("::/96")

/** IPv6 space that IANA assigns to global unicast. The library reports unassigned addresses as `unicast` too. */
const globalUnicast: Range = ipaddr.parseCIDR("2000::/3")

const parse = (text: string): Address | undefined => {
  // Rejects octal, hexadecimal and short forms of IPv4. The library accepts them, but other parsers read them
  // differently.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined
}

/**
 * Returns the class of an address in text form: dotted IPv4, or IPv6 in any of RFC 4291's forms, without brackets.
 *
 * `ipaddr.js` follows IANA's registries of special-purpose addresses. This function adds IPv4-compatible addresses,
 * unassigned IPv6 space and cloud metadata.
 */
export const classOf = (text: string): AddressClass => {
  const address = parse(text)
  if (address === undefined) return "malformed"
  // A zone ties an address to a link of this machine (RFC 4007), so any address with a zone counts as link-local.
  if (text.includes("%")) return "link_local"
  if (metadata.some((range) => within(address, range))) return "cloud_metadata"
  const known = classes[address.range()] ?? "reserved"
  if (known !== "public" || address.kind() === "ipv4") return known
  if (within(address, ipv4Compatible)) return "embedded_ipv4"
  return within(address, globalUnicast) ? "public" : "reserved"
}
