import { Effect } from "effect"
import { Digest } from "effect/crypto"
import type { ConsentPageSettings } from "../ConsentPageSettings.js"
import { plainIcon, stylesheet } from "../look/stylesheet.js"
import type { Frame } from "../screen/Layout.js"
import { AssetServing, type ServedAsset } from "./AssetServing.js"
import { paths } from "./paths.js"

/** The files that pages load, by name. */
export interface Assets {
  readonly hrefs: Frame["assets"]
  readonly files: ReadonlyMap<string, ServedAsset>
}

/** Cached forever: the name changes with the content. The policy also covers an image that is opened alone. */
const headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const extensions = { "image/svg+xml": "svg", "image/png": "png", "image/webp": "webp", "text/css": "css" } as const

/** Creates the stylesheet, the icon and the logo, each under a name with the hash of its content. */
export const makeAssets = Effect.fnUntraced(function* (
  { logo, theme }: ConsentPageSettings["Service"],
  publicPath: string
) {
  const digest = yield* Digest.Digest
  const serve = yield* AssetServing
  const files = new Map<string, ServedAsset>()

  const add = Effect.fnUntraced(function* (name: string, contentType: keyof typeof extensions, bytes: Uint8Array) {
    const hash = (yield* digest.digestHex(Digest.sha256, bytes)).slice(0, 12)
    const file = `${name}-${hash}.${extensions[contentType]}`
    const charset = contentType === "text/css" ? "; charset=utf-8" : ""
    files.set(file, yield* serve({ bytes, contentType: contentType + charset, headers }))
    return publicPath + paths.asset.replace(":file", file)
  })

  const utf8 = new TextEncoder()
  const style = yield* add("style", "text/css", utf8.encode(stylesheet(theme)))
  const ownIcon = add("icon", "image/svg+xml", utf8.encode(plainIcon(theme)))
  const logoHref = logo === undefined ? undefined : yield* add("logo", logo.contentType, logo.bytes)
  const assets: Assets = { hrefs: { style, icon: logoHref ?? (yield* ownIcon), logo: logoHref }, files }
  return assets
})
