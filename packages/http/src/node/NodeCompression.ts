import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect, Layer } from "effect"
import { Compression } from "../static/Compression.js"

/** Qualities 6 to 9 save little more. Qualities 10 and 11 take tens of times longer. */
const brotliQuality = 5
const gzipLevel = 6

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Node's brotli and gzip, run off the main thread. */
const codings: Compression["codings"] = [
  {
    name: "br",
    compress: (bytes) =>
      Effect.promise(() =>
        brotli(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
          }
        })
      )
  },
  { name: "gzip", compress: (bytes) => Effect.promise(() => zip(bytes, { level: gzipLevel })) }
]

/** Provides brotli and gzip for a standalone server. Content is compressed in the background at start-up. */
export const layer: Layer.Layer<never> = Layer.succeed(Compression, { codings, isEager: true })

/**
 * Provides brotli and gzip for a host's own server, whose start-up must stay fast. Content is compressed on its first
 * request.
 */
export const layerLazy: Layer.Layer<never> = Layer.succeed(Compression, { codings, isEager: false })
