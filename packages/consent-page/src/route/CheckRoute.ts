import { ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { AssetServing } from "@surety/page-kit/asset/AssetServing"
import { plainText } from "@surety/page-kit/shownText"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { ConsentPageSettings } from "../ConsentPageSettings.js"
import { makeCheckPage } from "../check/checkPage.js"
import { paths } from "./paths.js"

/**
 * Adds `GET /consent-page/check-receipt.html`, the page that checks receipts. It is public, since it shows no one's
 * data. It is this package's only page with a script. Its content security policy allows only its own script and
 * style, and no connections.
 */
export const addCheckRoute = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const { platform } = yield* ConsentPageSettings
  const { bytes, contentSecurityPolicy } = yield* makeCheckPage(
    plainText(platform.name, 60),
    (yield* ReceiptSigner).keys
  )
  const page = yield* (yield* AssetServing)({
    bytes,
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "public, max-age=300",
      "content-security-policy": contentSecurityPolicy,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex, nofollow"
    }
  })
  yield* router.add("GET", paths.check, page.answer)
})
