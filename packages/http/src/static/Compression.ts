import { Context, type Effect } from "effect"

export interface Coding {
  readonly name: "br" | "gzip"
  readonly compress: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/**
 * Settings for compressing static content. By default no coding is offered. On Node, provide `NodeCompression.layer` or
 * `NodeCompression.layerLazy`.
 */
export interface Compression {
  /** In order of preference. */
  readonly codings: ReadonlyArray<Coding>
  /** Whether to compress in the background once the content is prepared, instead of on the first request for it. */
  readonly isEager: boolean
}

export const Compression: Context.Reference<Compression> = Context.Reference<Compression>(
  "@surety/http/static/Compression",
  { defaultValue: () => ({ codings: [], isEager: false }) }
)
