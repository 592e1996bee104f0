import type { ConsumerAuthenticator } from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { LinkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import type { Grants } from "@surety/core/consent/grant/Grants"
import type { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import type { RightsRequests } from "@surety/core/person/RightsRequests"
import type { Keyring } from "@surety/core/secret/Keyring"
import { Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ConsentPageSettings } from "./ConsentPageSettings.js"
import { addAskRoutes } from "./route/AskRoutes.js"
import { addManageRoutes } from "./route/ManageRoutes.js"
import * as PageKit from "./route/PageKit.js"
import { paths } from "./route/paths.js"
import { addRightsRoutes } from "./route/RightsRoutes.js"

/** The services that the page needs. */
export type Needs =
  | ConsentPageSettings
  | PersonConsents
  | Grants
  | RightsRequests
  | ConsumerAuthenticator
  | LinkGuessLimit
  | Keyring
  | Digest.Digest
  | SecureRandom.SecureRandom

const noSuchFile = Effect.succeed(HttpServerResponse.empty({ status: 404 }))

/**
 * For a router that serves only the page. A path has one spelling, and its parameters may be as long as the longest
 * accepted one; without this, longer ones are truncated.
 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 512
} as const

/** Responds with 404 to a path in another spelling, which a host's router has decoded. The prefix is part of the path. */
export const plainPathsOnly = HttpRouter.middleware((page) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ originalUrl }) =>
    isPlainPath(pathOf(originalUrl))
      ? page
      : Effect.succeed(HttpServerResponse.empty({ status: 404, headers: PageKit.privateHeaders }))
  )
).layer

/**
 * The hosted consent step (contract 7): `/consent/{token}`, on which a person decides, and `/consents/{token}`, on which
 * they see what was read and revoke consents. Mounts below the base path of its settings, in the host's router.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Needs> = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const { basePath } = yield* ConsentPageSettings
    const below = basePath === "" ? router : router.prefixed(basePath)
    const kit = yield* PageKit.make
    const routes = Effect.gen(function* () {
      yield* addAskRoutes(kit)
      yield* addManageRoutes(kit)
      yield* addRightsRoutes(kit)
      yield* below.add("GET", paths.asset, (request) =>
        Effect.flatMap(HttpRouter.params, ({ file = "" }) => kit.assets.files.get(file)?.answer(request) ?? noSuchFile)
      )
    })
    yield* Effect.provideService(routes, HttpRouter.HttpRouter, below)
  })
).pipe(Layer.provide(plainPathsOnly))
