import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { AssetServing, type ServedAsset } from "./AssetServing.js"

/**
 * Headers of a file. Browsers cache the file for a year, because its name changes with its content. The content
 * security policy prevents an SVG that is opened on its own from running scripts.
 */
const headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const extensions = { "image/svg+xml": "svg", "image/png": "png", "image/webp": "webp", "text/css": "css" } as const

export type AssetType = keyof typeof extensions

const noSuchFile = Effect.succeed(HttpServerResponse.empty({ status: 404 }))

/**
 * Creates an empty collection of the files that one package's pages load. Each file's name contains the start of its
 * content's hash. `hrefTo` builds the url of a file for browsers.
 */
export const make = Effect.fnUntraced(function* (hrefTo: (file: string) => string) {
  const digest = yield* Digest.Digest
  const serve = yield* AssetServing
  const files = new Map<string, ServedAsset>()

  return {
    add: Effect.fnUntraced(function* (name: string, contentType: AssetType, bytes: Uint8Array) {
      const hash = (yield* digest.digestHex(Digest.sha256, bytes)).slice(0, 12)
      const file = `${name}-${hash}.${extensions[contentType]}`
      const charset = contentType === "text/css" ? "; charset=utf-8" : ""
      const asset = serve({ bytes, contentType: contentType + charset, headers })
      files.set(file, yield* Effect.provideService(asset, Digest.Digest, digest))
      return hrefTo(file)
    }),

    answer: (file: string, request: HttpServerRequest.HttpServerRequest) =>
      files.get(file)?.answer(request) ?? noSuchFile
  }
})

export type HashedAssets = Effect.Success<ReturnType<typeof make>>
