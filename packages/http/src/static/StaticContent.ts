import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { acceptedCoding } from "./acceptedCoding.js"
import { type Coding, Compression } from "./Compression.js"

/** Content that is the same for every caller. */
export interface Content {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Content ready to serve. It is compressed at most once for each coding, and all responses share the bytes. */
export interface StaticContent {
  /** The first 16 hexadecimal digits of the content's SHA-256, for use in file names. The `ETag` contains them, too. */
  readonly hash: string
  readonly answer: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}

/** Headers of content whose name contains its hash, so a cached copy never becomes stale. */
export const immutable = { "cache-control": "public, max-age=31536000, immutable" } as const

/** Headers of content that may change with the next release: cached, but revalidated each time. */
export const revalidated = { "cache-control": "no-cache" } as const

const hashLength = 16

/** True if content of this type is worth compressing, because it is not already compressed. */
const gains = (contentType: string): boolean => /^text\/|json|javascript|svg/.test(contentType)

/** Builds the strong entity tag. It differs by coding, because each coding yields different bytes. */
const etagOf = (hash: string, coding: string | undefined): string =>
  coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`

const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, "")

/** True if `If-None-Match` is `*`, or contains the entity tag by weak comparison (RFC 9110, section 13.1.2). */
const isNotModified = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaqueTag(tag) === etag))

/** Prepares content with a strong `ETag`, support for `If-None-Match`, and the codings of `Compression`. */
export const make = Effect.fnUntraced(function* ({ bytes, contentType, headers }: Content) {
  const digest = yield* Digest.Digest
  const { codings, isEager } = yield* Compression
  const hash = (yield* digest.digestHex(Digest.sha256, bytes)).slice(0, hashLength)
  const offered = gains(contentType) ? codings : []
  const compressed = new Map<Coding["name"], Effect.Effect<Uint8Array>>()
  for (const { compress, name } of offered) {
    const once = yield* Effect.cached(Effect.uninterruptible(compress(bytes)))
    compressed.set(name, once)
    if (isEager) yield* Effect.forkDetach(once)
  }
  const names = offered.map(({ name }) => name)
  const vary = names.length === 0 ? {} : { vary: "accept-encoding" }

  const content: StaticContent = {
    hash,
    answer: Effect.fnUntraced(function* (request) {
      const coding = acceptedCoding(request.headers["accept-encoding"], names)
      const etag = etagOf(hash, coding)
      const common = { ...headers, ...vary, etag }
      if (isNotModified(request.headers["if-none-match"], etag)) {
        return HttpServerResponse.empty({ status: 304, headers: common })
      }
      const made = coding === undefined ? undefined : compressed.get(coding)
      const body = made === undefined ? bytes : yield* made
      return HttpServerResponse.uint8Array(body, {
        contentType,
        headers: coding === undefined ? common : { ...common, "content-encoding": coding }
      })
    })
  }
  return content
})

const utf8 = new TextEncoder()

export const ofText = (text: string, contentType: string, headers?: Readonly<Record<string, string>>) =>
  make({
    bytes: utf8.encode(text),
    contentType: `${contentType}; charset=utf-8`,
    ...(headers === undefined ? {} : { headers })
  })
