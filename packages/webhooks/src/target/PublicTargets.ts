import { TargetPolicy } from "@surety/core/event/TargetPolicy"
import { Effect, Layer } from "effect"
import { AddressLookup } from "./AddressLookup.js"
import { AddressRule, refusalOf } from "./AddressRule.js"
import * as TargetUrl from "./TargetUrl.js"

const checkUrl = (url: string, rule: AddressRule) => Effect.fromResult(TargetUrl.check(url, rule))

/**
 * The policy for registration in production (contract 11): https only, no credentials, port 443 or 1024 and above, no
 * name or address that is not public, and no name that has such an address now. A name that has no address, or whose
 * addresses cannot be found out, passes, since each connection is checked anyway.
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
      const refusal = refusalOf(rule, name, addresses)
      if (refusal !== undefined) return yield* refusal
    })

    return TargetPolicy.of({ check })
  })
)

/**
 * The same rules without the look-up, for a sender whose HTTP client looks up and checks by itself: a look-up of its own
 * would tell nothing about the address that is then connected to. Never with a client that does not check.
 */
export const layerBeforeConnection: Layer.Layer<TargetPolicy> = Layer.effect(
  TargetPolicy,
  Effect.map(AddressRule, (rule) => TargetPolicy.of({ check: (url) => Effect.asVoid(checkUrl(url, rule)) }))
)
