import { ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { Effect, Layer } from "effect"
import type { Digest } from "effect/crypto"
import { HttpRouter } from "effect/http"
import * as NotedRoute from "../NotedRoute.js"
import { keysPath } from "../RouteTable.js"
import * as StaticContent from "../static/StaticContent.js"

/** Cached for only 300 seconds, so that verifiers soon see a new signing key. */
const headers = {
  "cache-control": "public, max-age=300",
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff"
} as const

/**
 * Adds `GET /.well-known/jwks.json`. It returns the public keys that verify receipts, as a JWK set (RFC 7517). The
 * route needs no API key, and pages of any origin may read it.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | ReceiptSigner | Digest.Digest> = Layer.unwrap(
  Effect.gen(function* () {
    const { keys } = yield* ReceiptSigner
    const bytes = new TextEncoder().encode(JSON.stringify({ keys }))
    const content = yield* StaticContent.make({ bytes, contentType: "application/jwk-set+json", headers })
    return HttpRouter.add("GET", keysPath, (request) => content.answer(request)).pipe(Layer.provide(NotedRoute.layer))
  })
)
