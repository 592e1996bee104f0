import type { ConsumerAuthenticator } from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { LinkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import type { Grants } from "@surety/core/consent/grant/Grants"
import type { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import type { ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import type { RightsRequests } from "@surety/core/person/RightsRequests"
import type { Keyring } from "@surety/core/secret/Keyring"
import { plainPathsOnly } from "@surety/page-kit/PageRouter"
import { Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { ConsentPageSettings } from "./ConsentPageSettings.js"
import * as Admissions from "./route/Admissions.js"
import { addAskRoutes } from "./route/AskRoutes.js"
import { addCheckRoute } from "./route/CheckRoute.js"
import { addManageRoutes } from "./route/ManageRoutes.js"
import * as PageKit from "./route/PageKit.js"
import { paths } from "./route/paths.js"
import { addRightsRoutes } from "./route/RightsRoutes.js"
import { missingMessages } from "./words/Catalog.js"

/** Services that the page requires. */
export type Needs =
  | ConsentPageSettings
  | PersonConsents
  | ReceiptSigner
  | Grants
  | RightsRequests
  | ConsumerAuthenticator
  | LinkGuessLimit
  | Keyring
  | Digest.Digest
  | SecureRandom.SecureRandom

/**
 * The hosted consent step (contract 7). On `/consent/{token}` a person decides on a request. On `/consents/{token}` and
 * the pages below it, the person views consents, receipts and past reads, revokes consents and makes rights requests.
 * Also serves the page that checks receipts. Adds its routes to the host's router, below the settings' base path. Dies
 * if a catalog lacks messages or the theme is invalid.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Needs> = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const { basePath, catalogs } = yield* ConsentPageSettings
    for (const catalog of catalogs) {
      const missing = missingMessages(catalog)
      if (missing.length > 0) {
        return yield* Effect.die(new Error(`The catalog "${catalog.language}" lacks ${missing.join(", ")}.`))
      }
    }
    const below = basePath === "" ? router : router.prefixed(basePath)
    const kit = yield* PageKit.make
    const admissions = yield* Admissions.make(kit)
    const routes = Effect.gen(function* () {
      yield* addAskRoutes(kit, admissions)
      yield* addManageRoutes(kit, admissions)
      yield* addRightsRoutes(kit, admissions)
      yield* addCheckRoute
      yield* below.add("GET", paths.asset, (request) =>
        Effect.flatMap(HttpRouter.params, ({ file = "" }) => kit.assets.answer(file, request))
      )
    })
    yield* Effect.provideService(routes, HttpRouter.HttpRouter, below)
  })
).pipe(Layer.provide(plainPathsOnly))
