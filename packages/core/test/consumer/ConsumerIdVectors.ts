import { readFileSync } from "node:fs"
import { Schema } from "effect"

const Vectors = Schema.Struct({
  alphabet: Schema.String,
  checkCharacters: Schema.Array(Schema.Struct({ payload: Schema.String, check: Schema.NullOr(Schema.String) })),
  accepted: Schema.Array(Schema.Struct({ input: Schema.String, canonical: Schema.String })),
  refused: Schema.Array(
    Schema.Struct({ input: Schema.String, reason: Schema.String, position: Schema.optionalKey(Schema.Int) })
  )
})

const file = new URL("../../../testing/src/vectors/consumer-identifiers.json", import.meta.url)

/** Known results that every implementation of consumer identifiers must reproduce. */
export const vectors = Schema.decodeUnknownSync(Schema.fromJsonString(Vectors))(readFileSync(file, "utf8"))
