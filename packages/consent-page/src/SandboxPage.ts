import type { LinkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import type { Verifications } from "@surety/core/kyc/verification/Verifications"
import type { Keyring } from "@surety/core/secret/Keyring"
import { plainPathsOnly } from "@surety/page-kit/PageRouter"
import { Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { ConsentPageSettings } from "./ConsentPageSettings.js"
import * as PageKit from "./route/PageKit.js"
import { addSandboxRoutes } from "./route/SandboxRoutes.js"

type Needs = ConsentPageSettings | Verifications | LinkGuessLimit | Keyring | Digest.Digest | SecureRandom.SecureRandom

/**
 * The sandbox's stand-in for a registry's page (contract 8). On `/sandbox/kyc/{providerReference}`, the holder of a
 * sandbox number agrees or refuses. TEST only. Mounts below the settings' base path. `ConsentPage.layer` must be
 * mounted too, since it serves the stylesheet.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Needs> = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const { basePath } = yield* ConsentPageSettings
    const below = basePath === "" ? router : router.prefixed(basePath)
    const kit = yield* PageKit.make
    yield* Effect.provideService(addSandboxRoutes(kit), HttpRouter.HttpRouter, below)
  })
).pipe(Layer.provide(plainPathsOnly))
