import type { Keyring } from "@surety/core/secret/Keyring"
import { plainPathsOnly } from "@surety/page-kit/PageRouter"
import * as WebHandler from "@surety/page-kit/WebHandler"
import { Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { consolePaths } from "./ConsolePaths.js"
import { ConsoleSettings } from "./ConsoleSettings.js"
import { addOidcRoutes } from "./oidc/OidcRoutes.js"
import type { ConsoleServices } from "./page/ConsolePage.js"
import * as ConsoleKit from "./serve/ConsoleKit.js"
import { addPageRoutes } from "./serve/PageRoutes.js"
import { addSignInRoutes } from "./serve/SignInRoutes.js"

/** Services that the console requires besides an `HttpRouter`. */
export type Needs = ConsoleSettings | ConsoleServices | Keyring | Digest.Digest | SecureRandom.SecureRandom

/**
 * The operator console, `/console`, where operators inspect and fix records. Adds its routes to the host's router,
 * below the base path in `ConsoleSettings`. Every page except those for sign-in requires a session. Changing a record
 * requires a form from one of the console's own pages.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Needs> = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const { basePath } = yield* ConsoleSettings
    const below = basePath === "" ? router : router.prefixed(basePath)
    const kit = yield* ConsoleKit.make
    const routes = Effect.gen(function* () {
      yield* addSignInRoutes(kit)
      yield* addOidcRoutes(kit)
      yield* addPageRoutes(kit)
      yield* below.add("GET", consolePaths.asset, (request) =>
        Effect.flatMap(HttpRouter.params, ({ file = "" }) => kit.asset(file, request))
      )
    })
    yield* Effect.provideService(routes, HttpRouter.HttpRouter, below)
  })
).pipe(Layer.provide(plainPathsOnly))

/**
 * Builds the console over `services`, as a handler from `Request` to `Response`. Requests are neither logged nor
 * traced.
 *
 * @example
 * const { handle } = Console.webHandler(Layer.merge(settings, services))
 * const response = await handle(new Request("https://pay.example/console"))
 */
export const webHandler = <E>(services: Layer.Layer<Needs, E>): WebHandler.WebHandler =>
  WebHandler.make(Layer.provide(layer, services))
