import { isIPv6, SocketAddress } from "node:net"

const group = (value: bigint, index: number): number => Number((value >> BigInt(16 * (7 - index))) & 0xffffn)

export const numberOf = (address: string): bigint => {
  if (!isIPv6(address)) return address.split(".").reduce((value, octet) => value * 256n + BigInt(octet), 0n)
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = "", tail] = plain.split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const filled =
    tail === undefined
      ? groups(head)
      : [...groups(head), ...Array(8 - groups(head).length - groups(tail).length).fill("0"), ...groups(tail)]
  return filled.reduce((value, part) => value * 65536n + BigInt(`0x${part}`), 0n)
}

export const ipv4Text = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")

export const ipv6Text = (value: bigint): string =>
  new SocketAddress({
    family: "ipv6",
    address: Array.from({ length: 8 }, (_, index) => group(value, index).toString(16)).join(":")
  }).address

/** Returns the address at offset `which` from the start of the range, modulo the size of the range. */
export const addressWithin = (range: string, which: bigint): string => {
  const [base = "", prefixLength = "0"] = range.split("/")
  const bits = isIPv6(base) ? 128n : 32n
  const host = which % (1n << (bits - BigInt(prefixLength)))
  const value = numberOf(base) + host
  return bits === 32n ? ipv4Text(value) : ipv6Text(value)
}

const fullWidth = (text: string) =>
  text.replace(/[!-~]/gu, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0))

const circled = (text: string) =>
  text.replace(/[0-9]/gu, (digit) => String.fromCodePoint(digit === "0" ? 0x24ea : 0x245f + Number(digit)))

const percentEncoded = (text: string) =>
  text.replace(/./gu, (character) => `%${(character.codePointAt(0) ?? 0).toString(16)}`)

const octal = (value: bigint) => `0${value.toString(8)}`
const hex = (value: bigint) => `0x${value.toString(16)}`

const ipv4Forms = (address: string): ReadonlyArray<string> => {
  const value = numberOf(address)
  const octets = address.split(".").map(BigInt)
  const [a = 0n, b = 0n, c = 0n, d = 0n] = octets
  return [
    ...[address, `${address}.`, String(value), octal(value), hex(value), hex(value).toUpperCase()],
    ...[octets.map(octal).join("."), octets.map(hex).join("."), `0${octal(a)}.${hex(b)}.${c}.${d}`],
    ...[`${a}.${value & 0xffffffn}`, `${a}.${b}.${value & 0xffffn}`, `${hex(a)}.${octal(value & 0xffffffn)}`],
    ...[fullWidth(address), circled(address), percentEncoded(address)],
    ...[
      address.replaceAll(".", "\u3002"),
      address.replaceAll(".", "\uff61"),
      `${address.slice(0, 1)}\u00ad${address.slice(1)}`
    ]
  ]
}

const ipv6Forms = (address: string): ReadonlyArray<string> => {
  const value = numberOf(address)
  const groups = Array.from({ length: 8 }, (_, index) => group(value, index).toString(16))
  const dotted = [...groups.slice(0, 6), ipv4Text(value & 0xffffffffn)].join(":")
  const forms = [address, groups.join(":"), groups.map((part) => part.padStart(4, "0")).join(":"), dotted]
  return [...forms, ...forms.map((form) => form.toUpperCase())].map((form) => `[${form}]`)
}

/** Returns spellings of an address that the WHATWG url parser accepts, with IPv6 in brackets. */
export const formsOf = (address: string): ReadonlyArray<string> =>
  isIPv6(address) ? ipv6Forms(address) : ipv4Forms(address)
