import { Context, type Effect } from "effect"

/** A content coding, as named in `Content-Encoding`, and its compressor. */
export interface Coding {
  readonly name: "br" | "gzip"
  readonly compress: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/**
 * How static content is compressed. The default offers no coding, since the web platform has no brotli. For Node,
 * provide `NodeCompression.layer`.
 */
export interface Compression {
  /** In order of preference. */
  readonly codings: ReadonlyArray<Coding>
  /** Whether to compress in the background when the routes are built. Otherwise on the first request. */
  readonly isEager: boolean
}

export const Compression: Context.Reference<Compression> = Context.Reference<Compression>(
  "@surety/http/static/Compression",
  { defaultValue: () => ({ codings: [], isEager: false }) }
)
