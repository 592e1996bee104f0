import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { Context } from "effect"
import { type AddressClass, classOf } from "./AddressClass.js"

/** Classifies an address that `host` resolves to. If the url contains an address, `host` is that address. */
export type AddressRule = (address: string, host: string) => AddressClass

/**
 * The current rule, `classOf` by default. Another rule can refuse the platform's own public addresses, or allow one
 * known host inside a network. Layers that use the rule read it when they are built.
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
  unspecified: "an unspecified address",
  cloud_metadata: "a cloud's metadata address",
  embedded_ipv4: "an IPv6 address that embeds an IPv4 one",
  reserved: "a reserved address",
  malformed: "a malformed address"
}

/**
 * Returns a refusal if any of the host's addresses is not public. One such address is enough, since the name's owner
 * could steer a connection to it. The refusal contains the address's class but never the address, so callers cannot use
 * refusals to resolve internal names.
 */
export const addressRefusal = (
  rule: AddressRule,
  host: string,
  addresses: ReadonlyArray<string>
): TargetNotAllowed | undefined => {
  for (const address of addresses) {
    const addressClass = rule(address, host)
    if (addressClass === "public") continue
    const detail = `The url's host is ${phrases[addressClass]}, or resolves to one. Send a url whose host has public addresses only.`
    return new TargetNotAllowed({ code: "url_address_not_public", detail, addressClass })
  }
  return undefined
}
