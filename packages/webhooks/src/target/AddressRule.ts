import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { Context } from "effect"
import { type AddressClass, classOf } from "./AddressClass.js"

/** How an address is classed when it is to be called under this name (for a url with an address: the address). */
export type AddressRule = (address: string, host: string) => AddressClass

/**
 * The rule in force, `classOf` unless a layer provides another: one that also keeps webhooks away from public addresses
 * of the platform's own, or that lets a single known host be called inside a network. Read once, when a layer of this
 * package is built.
 */
export const AddressRule: Context.Reference<AddressRule> = Context.Reference("@surety/webhooks/target/AddressRule", {
  defaultValue: (): AddressRule => classOf
})

const phrases: Readonly<Record<Exclude<AddressClass, "public">, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  link_local: "a link-local address",
  shared: "an address shared behind a carrier's NAT",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "an address of no host",
  cloud_metadata: "a cloud's metadata address",
  embedded_ipv4: "an IPv6 address that stands for an IPv4 one",
  reserved: "a reserved address",
  malformed: "no well-formed address"
}

/**
 * Why a host may not be called that has these addresses: one that is not public is enough, since whoever answers for the
 * name could have it used. The refusal tells the class of that address and not the address, so that nobody learns what
 * names mean inside a network.
 */
export const refusalOf = (
  rule: AddressRule,
  host: string,
  addresses: ReadonlyArray<string>
): TargetNotAllowed | undefined => {
  for (const address of addresses) {
    const addressClass = rule(address, host)
    if (addressClass === "public") continue
    const detail = `The url's host is ${phrases[addressClass]}, or has one. Send a url whose host has public addresses only.`
    return new TargetNotAllowed({ code: "url_address_not_public", detail, addressClass })
  }
  return undefined
}
