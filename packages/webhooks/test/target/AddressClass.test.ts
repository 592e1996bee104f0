import { BlockList } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { classOf } from "../../src/target/AddressClass.js"
import * as TargetUrl from "../../src/target/TargetUrl.js"
import { addressWithin, formsOf, ipv4Text, ipv6Text } from "./AddressForms.js"
import { ipv4, ipv6, metadata, notGlobalUnicastIpv6 } from "./SpecialRanges.js"

const forbidden = [...ipv4, ...ipv6].map(([range]) => range).concat(notGlobalUnicastIpv6)

const word = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffffffff })))
const oneOf = (values: ReadonlyArray<string>) => Arbitrary.schema(Schema.Literals([...values]))

/**
 * Lists one family's non-public addresses in Node's `BlockList`, independently of `classOf`. A list of both families
 * would also match IPv4 addresses as mapped IPv6 ones.
 */
const special = (family: "ipv4" | "ipv6") => {
  const list = new BlockList()
  const isOfFamily = (text: string) => text.includes(":") === (family === "ipv6")
  for (const range of forbidden.filter(isOfFamily)) {
    const [base = "", prefixLength] = range.split("/")
    list.addSubnet(base, Number(prefixLength), family)
  }
  for (const address of metadata.filter(isOfFamily)) list.addAddress(address, family)
  return list
}
const specialIpv4 = special("ipv4")
const specialIpv6 = special("ipv6")

const together = (words: ReadonlyArray<number>): bigint =>
  words.reduce((value, each) => (value << 32n) + BigInt(each), 0n)

const firstAndLast = (range: string) => [addressWithin(range, 0n), addressWithin(range, (1n << 128n) - 1n)]

describe("the class of an address", () => {
  // Addresses inside a wider range of another class.
  const exceptions: Readonly<Record<string, string>> = {
    "::": "unspecified",
    "::1": "loopback",
    "255.255.255.255": "broadcast",
    "2001::": "embedded_ipv4"
  }
  it.each([...ipv4, ...ipv6])("is known at both ends of %s: %s", (range, addressClass) => {
    for (const address of firstAndLast(range)) expect(classOf(address)).toBe(exceptions[address] ?? addressClass)
  })

  it.each([
    ...["::1:0:0", "0:0:1::", "ff::1", "200::", "1fff:ffff::1", "4000::", "5eff::1", "8000::", "e000::1", "fbff::1"],
    ...["fe00::1", "fe7f::1"]
  ])("is reserved for %s, which is not assigned", (address) => expect(classOf(address)).toBe("reserved"))

  it.each(metadata)("is cloud metadata for %s", (address) => expect(classOf(address)).toBe("cloud_metadata"))

  it.each([
    ...["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
    ...["128.0.0.0", "168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"],
    ...["192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"],
    ...["2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "3ffe::1"]
  ])("is public for %s", (address) => expect(classOf(address)).toBe("public"))

  it.each([
    ...[
      "",
      "localhost",
      "1.2.3",
      "16843009",
      "0x1.1.1.1",
      "01.1.1.1",
      "1.1.1.1.",
      "1.1.1.256",
      "1.1.1.1/32",
      " 1.1.1.1"
    ],
    ...["[2606:4700::1]", "2606:4700::1::", "2606:4700:1", "1.1.1.1:443", "::ffff:1.1.1.256", "ⅰ.1.1.1"]
  ])("is malformed for %j, however other parsers read it", (text) => expect(classOf(text)).toBe("malformed"))

  it.each([
    ["fe80::1%eth0", "link_local"],
    ["2606:4700::1%eth0", "link_local"],
    ["FE80::1", "link_local"],
    ["::127.0.0.1", "embedded_ipv4"],
    ["::7f00:1", "embedded_ipv4"],
    ["::FFFF:8.8.8.8", "embedded_ipv4"],
    ["64:ff9b::10.0.0.1", "embedded_ipv4"],
    ["2002:7f00:1::", "embedded_ipv4"]
  ])("of %s is %s", (text, addressClass) => expect(classOf(text)).toBe(addressClass))

  it.prop(
    "agrees with Node's list of ranges on every IPv4 address",
    [word],
    ([value]) => {
      const address = ipv4Text(BigInt(value))
      expect(classOf(address) === "public").toBe(!specialIpv4.check(address, "ipv4"))
    },
    { arbitrary: { runs: 3_000 } }
  )

  it.prop(
    "agrees with Node's list of ranges on every IPv6 address, most of all in 2000::/3",
    [word, word, word, word],
    (words) => {
      const value = together(words)
      for (const address of [ipv6Text(value), ipv6Text((value & ((1n << 125n) - 1n)) | (1n << 125n))]) {
        expect(classOf(address) === "public").toBe(!specialIpv6.check(address, "ipv6"))
      }
    },
    { arbitrary: { runs: 1_500 } }
  )
})

describe("a url with an address", () => {
  const codeOf = (host: string) => {
    const checked = TargetUrl.check(`https://${host}/webhooks`, classOf)
    return Result.isFailure(checked) ? checked.failure.code : "allowed"
  }

  it.prop(
    "does not pass with an address of a special range, however it is written",
    [oneOf(forbidden), word, word, word, word],
    ([range, ...words]) => {
      const address = addressWithin(range, together(words))
      for (const form of formsOf(address)) expect(`${form} ${codeOf(form)}`).toBe(`${form} url_address_not_public`)
    },
    { arbitrary: { runs: 1_000 } }
  )

  it.each(metadata)("does not pass with %s in any spelling", (address) => {
    for (const form of formsOf(address)) expect(`${form} ${codeOf(form)}`).toBe(`${form} url_address_not_public`)
  })

  it.each(["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111"])("passes with %s in any spelling", (address) => {
    for (const form of formsOf(address)) expect(`${form} ${codeOf(form)}`).toBe(`${form} allowed`)
  })
})
