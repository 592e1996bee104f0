import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect, Layer } from "effect"
import { Compression } from "../static/Compression.js"

/** Higher than 5 takes several times as long for a few per cent. */
const brotliQuality = 5
const gzipLevel = 6

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Brotli and gzip by Node, off the main thread. */
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

/** For a server: compresses at start-up. */
export const layer: Layer.Layer<never> = Layer.succeed(Compression, { codings, isEager: true })

/** For a host's own server, whose start-up must not be slowed: compresses on the first request. */
export const layerLazy: Layer.Layer<never> = Layer.succeed(Compression, { codings, isEager: false })
