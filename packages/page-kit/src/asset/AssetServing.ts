import { Context, Effect } from "effect"
import type { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

export interface Asset {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ServedAsset {
  readonly answer: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}

/**
 * The function that prepares an asset for serving. The default sends the bytes unchanged. `make` of
 * `@surety/http/static/StaticContent` adds compression and 304 responses.
 */
export const AssetServing = Context.Reference<(asset: Asset) => Effect.Effect<ServedAsset, never, Digest.Digest>>(
  "@surety/page-kit/asset/AssetServing",
  {
    defaultValue:
      () =>
      ({ bytes, contentType, headers }) => {
        const answer = Effect.succeed(HttpServerResponse.uint8Array(bytes, { contentType, headers }))
        return Effect.succeed({ answer: () => answer })
      }
  }
)
