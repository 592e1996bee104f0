import { type Impairment, Impairments, type NotReady, Readiness } from "@surety/core/Readiness"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { answer } from "./Answer.js"
import * as NotedRoute from "./NotedRoute.js"
import { unavailable } from "./problem/Refusal.js"
import { healthPaths } from "./RouteTable.js"

const alive = HttpServerResponse.jsonUnsafe({ status: "ok" })
const ready = HttpServerResponse.jsonUnsafe({ status: "ready" })

const refusals = {
  NotReady: unavailable("not_ready", ({ detail }: NotReady) => `Not ready: ${detail}`)
}

const readyWithout = (impaired: ReadonlyArray<Impairment>) =>
  impaired.length === 0 ? ready : HttpServerResponse.jsonUnsafe({ status: "ready", impaired })

/**
 * Adds `GET /healthz` and `GET /readyz` outside the base path (contract 15). `/healthz` returns 200 while the process
 * is alive. `/readyz` returns 200 if `Readiness` succeeds and 503 otherwise.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Readiness> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const readiness = yield* Readiness
    const impairments = yield* Impairments
    yield* router.add("GET", healthPaths.live, alive)
    yield* router.add(
      "GET",
      healthPaths.ready,
      answer(refusals, Effect.andThen(readiness.check, Effect.map(impairments, readyWithout)))
    )
  })
).pipe(Layer.provide(NotedRoute.layer))
