import * as HashedAssets from "@surety/page-kit/asset/HashedAssets"
import { Effect } from "effect"
import type { ConsentPageSettings } from "../ConsentPageSettings.js"
import { plainIcon, stylesheet } from "../look/stylesheet.js"
import type { Frame } from "../screen/Layout.js"
import { paths } from "./paths.js"

/** Static files that pages load. */
export interface Assets {
  readonly hrefs: Frame["assets"]
  readonly answer: HashedAssets.HashedAssets["answer"]
}

/** Prepares the stylesheet and the icon. The icon is the host's logo or, if the host has none, a default. */
export const makeAssets = Effect.fnUntraced(function* (
  { logo, theme }: ConsentPageSettings["Service"],
  publicPath: string
) {
  const { add, answer } = yield* HashedAssets.make((file) => publicPath + paths.asset.replace(":file", file))
  const utf8 = new TextEncoder()
  const style = yield* add("style", "text/css", utf8.encode(stylesheet(theme)))
  const ownIcon = add("icon", "image/svg+xml", utf8.encode(plainIcon(theme)))
  const logoHref = logo === undefined ? undefined : yield* add("logo", logo.contentType, logo.bytes)
  const assets: Assets = { hrefs: { style, icon: logoHref ?? (yield* ownIcon), logo: logoHref }, answer }
  return assets
})
