import { Context, Schema } from "effect"

/** A page of the guides. `slug` is its path below `/docs`, empty for the home page. */
const GuidePage = Schema.Struct({ slug: Schema.String, html: Schema.String })

/** A file that pages load. Its name contains the hash of its content. */
const GuideAsset = Schema.Struct({ name: Schema.String, contentType: Schema.String, text: Schema.String })

/** A code sample for one operation in one language, in the form of the OpenAPI extension `x-codeSamples`. */
const CodeSample = Schema.Struct({ lang: Schema.String, label: Schema.String, source: Schema.String })

/** The merchant guides and the welcome page, rendered at build time. `samples` are keyed by operation id. */
export const GuideSite = Schema.Struct({
  pages: Schema.Array(GuidePage),
  welcome: Schema.String,
  assets: Schema.Array(GuideAsset),
  samples: Schema.Record(Schema.String, Schema.Array(CodeSample))
})
export type GuideSite = typeof GuideSite.Type

/** Placeholder in pages and samples for the deployment's public url. */
export const baseUrlMark = "%BASE_URL%"

/**
 * The guides served at `/docs`. Default: none, with the API reference at `/docs` instead. On Node, `NodeGuides.layer`
 * reads the guides from a file.
 */
export const Guides: Context.Reference<GuideSite | undefined> = Context.Reference<GuideSite | undefined>(
  "@surety/http/docs/Guides",
  { defaultValue: () => undefined }
)
