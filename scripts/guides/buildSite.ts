import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import path from "node:path"
import { build, transform } from "esbuild"
import { makeHighlight } from "./highlight.ts"
import { type Files, pageHtml, welcomeHtml } from "./layout.ts"
import { read, readPages } from "./Pages.ts"
import { renderPage } from "./renderPage.ts"
import type { OperationSample, Site, SiteAsset } from "./Site.ts"
import { labels, samplesOfOperation } from "./samples/samples.ts"

const assetPath = (name: string): string => path.join(import.meta.dirname, "assets", name)

/** Language names in `x-codeSamples` that differ from ours. Scalar and other readers expect these names. */
const shells: Readonly<Record<string, string>> = { curl: "shell" }

const operationSamples = (): Site["samples"] => {
  const document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  } = JSON.parse(read("docs/openapi.json"))
  const samples: Record<string, ReadonlyArray<OperationSample>> = {}
  for (const [route, methods] of Object.entries(document.paths)) {
    for (const [verb, operation] of Object.entries(methods)) {
      samples[operation.operationId] = samplesOfOperation(verb.toUpperCase(), route, operation).map(
        ({ code, language }) => ({
          lang: shells[language] ?? language,
          label: labels[language],
          source: code.trimEnd()
        })
      )
    }
  }
  return samples
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5d4b"/><path d="m4 8.4 2.7 2.7L12 5.6" fill="none" stroke="#fff" stroke-width="2"/></svg>'

/** Builds an asset whose name contains a hash of its content, so that it can be cached indefinitely. */
const hashed = (name: string, contentType: string, text: string): SiteAsset => {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16)
  return { name: name.replace(/(?=\.\w+$)/u, `-${hash}`), contentType, text }
}

/** Parts of the single style sheet, in cascade order. */
const styles = ["base", "content", "code", "parts", "conditions"].map((name) => `style/${name}.css`)

const minified = async (names: ReadonlyArray<string>, loader: "css" | "js"): Promise<string> => {
  const source = names.map((name) => readFileSync(assetPath(name), "utf8")).join("\n")
  return (await transform(source, { loader, minify: true, target: "es2022" })).code
}

const searchScript = async (sections: ReadonlyArray<ReadonlyArray<string>>): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [assetPath("search.js")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    define: { SECTIONS: JSON.stringify(sections) }
  })
  return outputFiles[0]?.text ?? ""
}

export const buildSite = async (): Promise<Site> => {
  const pages = readPages()
  const highlight = await makeHighlight()
  const rendered = pages.map((page) => ({ page, content: renderPage(page, pages, highlight) }))
  const sections = rendered.flatMap(({ content, page }) =>
    content.sections.map(({ anchor, heading, text }) => [
      page.slug,
      page.label,
      anchor,
      heading,
      text.replaceAll(/\s+/gu, " ").trim()
    ])
  )
  const style = hashed("guides.css", "text/css", await minified(styles, "css"))
  // A classic script, which runs before the page is rendered. The wrapping function keeps the script's names out of the
  // global scope.
  const script = hashed("guides.js", "text/javascript", `(()=>{${await minified(["guides.js"], "js")}})()`)
  const search = hashed("search.js", "text/javascript", await searchScript(sections))
  const picture = hashed("icon.svg", "image/svg+xml", icon)
  const files: Files = { style: style.name, script: script.name, search: search.name, icon: picture.name }
  return {
    pages: rendered.map(({ content, page }) => ({ slug: page.slug, html: pageHtml(page, content, pages, files) })),
    welcome: welcomeHtml(files),
    assets: [style, script, search, picture],
    samples: operationSamples()
  }
}
