import type { ReceiptKey } from "@surety/core/consent/receipt/ReceiptSigner"
import { html } from "@surety/page-kit/Html"
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { checkScript } from "./checkScript.js"

const style = `:root{color-scheme:light dark;--line:#7d8884;--yes:#0b5d4b;--no:#a3201d;--ground:#fff;--ink:#16211e}
@media (prefers-color-scheme:dark){:root{--yes:#6fd3b5;--no:#ffa79b;--ground:#131b19;--ink:#eef5f2}}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:0 auto;padding:1.5rem 1rem 3rem;
background:var(--ground);color:var(--ink);overflow-wrap:anywhere}
h1{line-height:1.2;font-size:1.6rem}
label{display:block;font-weight:600;margin:1rem 0 .25rem}
textarea,input{width:100%;font:inherit;padding:.75rem;border:1px solid var(--line);border-radius:.75rem}
textarea{font:.85rem/1.4 ui-monospace,monospace;min-height:7rem}
input[type=file]{border-style:dashed;padding:1.25rem .75rem}
.yes,.no{font-weight:700;padding:.75rem 1rem;border:2px solid;border-radius:.75rem}
.yes{color:var(--yes)}.no{color:var(--no)}
dt{font-size:.85rem;opacity:.8;margin-top:.5rem}dd{margin:0}
@media print{label,textarea,input,.how{display:none}}
`

/** The page as served. Its policy allows only its own script and style. */
export interface CheckPage {
  readonly bytes: Uint8Array
  readonly contentSecurityPolicy: string
}

/**
 * Builds the page on which people and third parties check receipts (contract 7). It is a single file that also works
 * offline when saved. It therefore includes the published `keys`, and the policy, which allows no connections. A third
 * party that does not trust those keys can choose another JWK set.
 */
export const makeCheckPage = Effect.fnUntraced(function* (platform: string, keys: ReadonlyArray<ReceiptKey>) {
  const digest = yield* Digest.Digest
  const utf8 = new TextEncoder()
  const sourceOf = (text: string) =>
    Effect.map(digest.digest(Digest.sha256, utf8.encode(text)), (hash) => `'sha256-${Base64.encode(hash)}'`)
  const policy = [
    "default-src 'none'",
    `script-src ${yield* sourceOf(checkScript)}`,
    `style-src ${yield* sourceOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")
  // Style and script are inserted without escaping, so the page contains them exactly as hashed.
  const [beforeStyle, beforeKeys, beforeScript, end] = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Check a receipt - ${platform}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<style>\u0000</style>
</head>
<body>
<main>
<h1>Check a receipt</h1>
<p class="how">This page shows whether ${platform} signed a receipt, and what was signed. Nothing leaves your device: you can save this page and use it offline.</p>
<label for="files">Choose the receipt, or drop it on this page</label>
<input id="files" type="file" multiple accept=".json,.jws,.txt,application/json" aria-describedby="more">
<p class="how" id="more">To check with keys from another source, choose their file (jwks.json) as well.</p>
<label for="text">Or paste it</label>
<textarea id="text" spellcheck="false" autocomplete="off"></textarea>
<p id="which"></p>
<div id="result" role="status"></div>
</main>
<script id="keys" type="application/json">\u0000</script>
<script>\u0000</script>
</body>
</html>
`
    .toString()
    .split("\u0000")
  const keysText = JSON.stringify({ keys }).replaceAll("<", "\\u003c")
  const text = `${beforeStyle}${style}${beforeKeys}${keysText}${beforeScript}${checkScript}${end}`
  const page: CheckPage = { bytes: utf8.encode(text), contentSecurityPolicy: `${policy}; frame-ancestors 'none'` }
  return page
})
