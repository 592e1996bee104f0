import { Schema } from "effect"
import { encodeExport, type PersonExport } from "./PersonExport.js"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/gu, (character) => entities[character] ?? "")

const titles: Readonly<Record<string, string>> = {
  person: "Your details",
  links: "Merchants that know you",
  dataRequests: "What merchants asked for",
  grants: "What you allowed",
  askingBlocks: "Merchants you told to stop asking",
  reads: "Who looked at your details",
  receipts: "Your receipts",
  verifications: "Checks of your identity",
  payments: "What you paid",
  refunds: "What came back to you",
  wallets: "What your wallet holds",
  messages: "What merchants were sent about you",
  rightsRequests: "What you asked us for",
  others: "What other parts of the platform hold"
}

/** Formats a key such as `requestedFields` for people: `Requested fields`. */
const labelOf = (key: string): string => {
  const words = key.replace(/([a-z])([A-Z])/gu, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
  return escaped(words.charAt(0).toUpperCase() + words.slice(1).replaceAll("_", " "))
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u

const plainOf = (value: string | number | boolean): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  const text = String(value)
  return escaped(time.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : text)
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const markupOf = (value: Schema.Json | undefined): string => {
  if (value === undefined || value === null) return "–"
  if (typeof value !== "object") return plainOf(value)
  if (isList(value)) {
    return value.every((item) => typeof item !== "object" || item === null)
      ? value.map(markupOf).join(", ")
      : `<ol>${value.map((item) => `<li>${markupOf(item)}</li>`).join("")}</ol>`
  }
  const rows = Object.entries(value).map(([key, field]) => `<dt>${labelOf(key)}</dt><dd>${markupOf(field)}</dd>`)
  return rows.length === 0 ? "–" : `<dl>${rows.join("")}</dl>`
}

const isEmpty = (value: Schema.Json | undefined): boolean =>
  typeof value !== "object" || value === null || (isList(value) ? value.length === 0 : Object.keys(value).length === 0)

const sectionOf = (key: string, value: Schema.Json | undefined): string => {
  const title = escaped(titles[key] ?? key)
  const shown = isEmpty(value) ? "<p>Nothing.</p>" : markupOf(value)
  return `<section><h2>${title}</h2>${shown}</section>`
}

const readFields = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}" +
  "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #767676}" +
  "dl{display:grid;grid-template-columns:minmax(8rem,auto) 1fr;gap:.25rem 1rem;margin:.5rem 0}" +
  "dt{color:#555}dd{margin:0;overflow-wrap:anywhere}li{margin:.75rem 0}section{break-inside:auto}"

/** Renders an export as a page to read and print, without scripts or external resources. Every value is escaped. */
export const exportPage = (exported: PersonExport): string => {
  const held = readFields(encodeExport(exported))
  const sections = Object.keys(titles).map((key) => sectionOf(key, held[key]))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>All that is held about you</title>
<style>${style}</style>
</head>
<body>
<h1>All that is held about you</h1>
<p>As of ${markupOf(held.exportedAt)}. No number of your identity documents was ever kept.</p>
${sections.join("\n")}
</body>
</html>
`
}
