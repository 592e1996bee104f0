import { Effect, Fiber, Option } from "effect"
import { KycSettings } from "../KycSettings.js"
import type { CalledVerification } from "../KycStore.js"
import type { CalledAbout, KycCallback, KycCalled } from "../provider/KycCallback.js"
import { KycProviders } from "../provider/KycProviders.js"
import { sandboxName } from "../provider/KycRoutes.js"
import { consentOutcome } from "../provider/SandboxKycProvider.js"
import { VerificationResults } from "./VerificationResults.js"

const calledBy = (provider: string, { providerReference, reference }: CalledAbout): CalledVerification => ({
  provider,
  reference,
  providerReference
})

/** Builds `callback` and `consentInSandbox` of `Verifications`. */
export const makeProviderCalls = Effect.gen(function* () {
  const results = yield* VerificationResults
  const providers = yield* KycProviders
  const { readPatience } = yield* KycSettings
  const scope = yield* Effect.scope

  const callback = Effect.fn("Verifications.callback")(function* (name: string, received: KycCallback) {
    const provider = providers.named(name)
    const said: KycCalled = provider === undefined ? { _tag: "NotAuthentic" } : yield* provider.callback(received)
    switch (said._tag) {
      case "NotAuthentic":
        return false
      case "Irrelevant":
        return true
      case "Answered":
        yield* results.called(calledBy(name, said.about), said.outcome)
        return true
      case "Hint": {
        // Runs in the background: a lookup that outlasts `readPatience` is still worth finishing.
        const look = yield* Effect.forkIn(results.hinted(calledBy(name, said.about)), scope)
        yield* Effect.timeoutOption(Fiber.join(look), readPatience)
        return true
      }
    }
  })

  const consentInSandbox = (providerReference: string, agreed: boolean) =>
    Option.match(consentOutcome(providerReference, agreed), {
      onNone: () => Effect.succeed(false),
      onSome: (outcome) => results.called({ provider: sandboxName, reference: undefined, providerReference }, outcome)
    })

  return { callback, consentInSandbox }
})
