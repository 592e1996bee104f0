import { readFile } from "node:fs/promises"
import { Effect, Layer, Schema } from "effect"
import { GuideSite, Guides } from "../docs/GuideSite.js"

/** File of the rendered guides. The relative path is the same from the source and from its build output. */
const siteFile = new URL("../../dist/site.json", import.meta.url)

const decode = Schema.decodeEffect(Schema.fromJsonString(GuideSite))

/**
 * Provides the guides rendered by this package's build. Logs a warning if their file cannot be read or decoded, for
 * example because a host's bundler left it out. `/docs` then shows only the API reference.
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Guides,
  Effect.tryPromise(() => readFile(siteFile, "utf8")).pipe(
    Effect.flatMap(decode),
    Effect.catch((cause) =>
      Effect.as(
        Effect.logWarning("The guides are missing from this build; /docs shows the API reference only", cause),
        undefined
      )
    )
  )
)
