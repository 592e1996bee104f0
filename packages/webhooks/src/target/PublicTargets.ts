import { TargetPolicy } from "@surety/core/event/TargetPolicy"
import { Effect, Layer } from "effect"
import { AddressLookup } from "./AddressLookup.js"
import { AddressRule, addressRefusal } from "./AddressRule.js"
import * as TargetUrl from "./TargetUrl.js"

const checkUrl = (url: string, rule: AddressRule) => Effect.fromResult(TargetUrl.check(url, rule))

/**
 * Provides the policy for registration in production (contract 11). It requires HTTPS without credentials, port 443 or
 * a port from 1024 up, and a public name or address. A name that currently resolves to a non-public address is refused.
 * A name that does not resolve passes, since each connection is checked again.
 */
export const layer: Layer.Layer<TargetPolicy, never, AddressLookup> = Layer.effect(
  TargetPolicy,
  Effect.gen(function* () {
    const lookup = yield* AddressLookup
    const rule = yield* AddressRule

    const check = Effect.fn("PublicTargets.check")(function* (url: string) {
      const { isAddress, name } = yield* checkUrl(url, rule)
      if (isAddress) return
      const addresses = yield* Effect.orElseSucceed(lookup.addressesOf(name), () => [])
      const refusal = addressRefusal(rule, name, addresses)
      if (refusal !== undefined) return yield* refusal
    })

    return TargetPolicy.of({ check })
  })
)

/**
 * Provides the rules of `layer` without the lookup, for a sender whose HTTP client resolves names and checks addresses
 * on each connection. An earlier lookup would prove nothing about the address of a later connection. Never use this
 * layer with a client that does not check addresses.
 */
export const layerBeforeConnection: Layer.Layer<TargetPolicy> = Layer.effect(
  TargetPolicy,
  Effect.map(AddressRule, (rule) => TargetPolicy.of({ check: (url) => Effect.asVoid(checkUrl(url, rule)) }))
)
