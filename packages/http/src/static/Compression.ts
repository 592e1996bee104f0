import { Context, type Effect } from "effect"

/** A content coding as `Content-Encoding` names it, and what makes it. */
export interface Coding {
  readonly name: "br" | "gzip"
  readonly compress: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/**
 * How static content is compressed. The default offers no coding, since the web platform alone has no brotli;
 * `NodeCompression.layer` does it by Node.
 */
export interface Compression {
  /** The preferred one first. */
  readonly codings: ReadonlyArray<Coding>
  /** Whether to compress when the routes are built, in the background. Otherwise with the first request for it. */
  readonly isEager: boolean
}

export const Compression: Context.Reference<Compression> = Context.Reference<Compression>(
  "@surety/http/static/Compression",
  { defaultValue: () => ({ codings: [], isEager: false }) }
)
