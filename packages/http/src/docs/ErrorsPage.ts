import { faultCodes } from "@surety/core/input/InputFault"
import { problemCodes } from "../problem/ProblemCode.js"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

const problemRows = Object.entries(problemCodes).map(
  ([code, { advice, status, title }]) =>
    `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td>` +
    `<td>${escapeHtml(title)}</td><td>${escapeHtml(advice)}</td></tr>`
)

const faultRows = Object.entries(faultCodes).map(
  ([code, meaning]) => `<tr id="${code}"><td><code>${code}</code></td><td>${escapeHtml(meaning)}</td></tr>`
)

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}" +
  "table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #8884;padding:.5rem;text-align:left;" +
  "vertical-align:top}tr:target{background:#ffd54f55}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}}"

/**
 * A self-contained page with tables of all problem and fault codes. Every problem's `type` points to `/docs/errors`.
 * This page is served there if the documentation is enabled without guides.
 */
export const errorsPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors</title><style>${style}</style></head>
<body>
<h1>Errors</h1>
<p>Every error response is <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Title</th><th>What to do</th></tr></thead>
<tbody>
${problemRows.join("\n")}
</tbody></table>
<h2>Faults in <code>errors</code></h2>
<p>A fault has a code from the table above or from this one. If a request has several faults, or one with a code from this
table, the problem's <code>code</code> is <code>validation_failed</code>.</p>
<table><thead><tr><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
${faultRows.join("\n")}
</tbody></table>
</body>
</html>
`
