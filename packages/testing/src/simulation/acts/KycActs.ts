import * as IdNumber from "@surety/core/kyc/command/IdNumber"
import { canonicalVerification, type VerificationCommand } from "@surety/core/kyc/command/VerificationCommand"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { isVerificationOpen, type Verification } from "@surety/core/kyc/verification/Verification"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { Effect, Option, Redacted } from "effect"
import { vendorName } from "../host/SimulatedVendor.js"
import { type Act, callAs, commandDraw, copiesOf, keyOf, personOf, type Scene, scopeOf } from "./Scene.js"

/** The sandbox's BVNs for the outcomes verified, not found, verified later and error, and a malformed number. */
const numbers = ["22222222222", "00000000000", "33333333333", "44444444444", "12"]

export const verify = (scene: Scene, act: Act): void => {
  const { book, world } = scene
  const { draw } = act
  const drawn = scopeOf(scene, draw)
  // Prefers LIVE, because there a vendor is paid and may fail. In TEST the sandbox verifies.
  const scope = draw.chance(0.7) ? { ...drawn, environment: "LIVE" as const } : drawn
  const key = keyOf(scene, "verify", draw)
  const wanted = commandDraw(scene, scope, key, act)
  const person = personOf(scene, scope, wanted)
  const command: VerificationCommand = {
    userId: undefined,
    serviceId: person.serviceId,
    number: IdNumber.read("bvn", Redacted.make(wanted.pick(numbers))),
    tier: wanted.pick([undefined, "TIER_1", "TIER_2"]),
    validation: {},
    sent: {},
    apiKeyId: undefined
  }
  const call = Effect.flatMap(Verifications, (verifications) => verifications.submit(scope, key, command))
  for (const copy of copiesOf(act)) {
    callAs(scene, {
      act: copy,
      does: `verifies ${world.nameOf(person.userId)} by ${key}`,
      call,
      repeats: draw.pick([0, 2, 4]),
      onSuccess: ({ response, verification }) => {
        // The verification is `None` if the person is no longer linked to the merchant.
        if (Option.isNone(verification)) return
        const { createdAt: madeAt, id } = verification.value
        book.own(scope, verification.value, id)
        const text = canonicalVerification(command, undefined)
        book.accepted(scope, { key, command: text, response, madeAt, isKeptForEver: false })
      }
    })
  }
}

const verificationsOf = ({ world }: Scene): ReadonlyArray<Verification> =>
  [...world.state.verifications.values()].map(({ verification }) => verification)

const pickOpen = (scene: Scene, { draw }: Act): Verification | undefined => {
  const all = verificationsOf(scene)
  const open = all.filter(({ status }) => isVerificationOpen(status))
  const candidates = open.length > 0 ? open : all
  return candidates.length === 0 ? undefined : draw.pick(candidates)
}

export const look = (scene: Scene, act: Act): void => {
  const found = pickOpen(scene, act)
  if (found === undefined) return
  callAs(scene, {
    act,
    does: `looks at ${scene.world.nameOf(found.id)}`,
    call: Effect.flatMap(Verifications, (verifications) => verifications.get(found, found.id)),
    repeats: 1
  })
}

export const enterCode = (scene: Scene, act: Act): void => {
  const waiting = verificationsOf(scene).filter(({ status }) => status === "REQUIRES_ACTION")
  if (waiting.length === 0) {
    look(scene, act)
    return
  }
  const found = act.draw.pick(waiting)
  callAs(scene, {
    act,
    does: `enters a code for ${scene.world.nameOf(found.id)}`,
    call: Effect.flatMap(Verifications, (verifications) =>
      verifications.submitCode(found, found.id, Redacted.make("123456"))
    ),
    repeats: 1
  })
}

/** The vendor calls back about a verification, or another vendor sends a forged callback. Either may arrive twice. */
export const callBack = (scene: Scene, act: Act): void => {
  const { cluster, world } = scene
  const { draw } = act
  const found = pickOpen(scene, act)
  if (found === undefined) return
  const isForged = draw.chance(0.2)
  const forged: KycOutcome = { _tag: "Verified", providerReference: "forged", checks: { selfie: "MATCH" } }
  const outcome = isForged ? forged : cluster.vendor.say(found.id)
  if (outcome === undefined) return
  const call = {
    provider: isForged ? "another vendor" : vendorName,
    reference: draw.chance(0.5) ? found.id : undefined,
    providerReference: outcome.providerReference
  }
  const times = draw.chance(0.3) ? 2 : 1
  for (let time = 0; time < times; time += 1) {
    callAs(scene, {
      act: { label: `${act.label} call ${time + 1}`, draw: world.draw(`${act.label} call ${time}`) },
      does: `calls back ${isForged ? "as another vendor " : ""}about ${world.nameOf(found.id)}: ${outcome._tag}`,
      call: Effect.flatMap(Verifications, (verifications) => verifications.providerCalled(call, outcome)),
      repeats: 1,
      onSuccess: (isNews) =>
        world.require(!(isForged && isNews), "verified_needs_vendor", () => "a forged callback was taken")
    })
  }
}
