import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, type OpenApi } from "effect/http-api"
import { documentPaths } from "../RouteTable.js"
import * as StaticContent from "../static/StaticContent.js"
import { baseUrlMark, type GuideSite } from "./GuideSite.js"

/** Options that style the reference and keep it from contacting its vendor. */
const options = {
  _integration: "html",
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  customCss: ":root{--scalar-color-accent:light-dark(#0b5d4b,#6fd3b5)}",
  telemetry: false
}

const container = "api-reference-container"
const scriptStart = "<script>"
const scriptEnd = "</script>"

const firstScriptIn = (page: string): string => {
  const start = page.indexOf(scriptStart)
  const end = page.indexOf(scriptEnd, start)
  if (start < 0 || end < 0) throw new Error("The reference's page has no script of its own.")
  return page.slice(start + scriptStart.length, end)
}

/** Extracts the script that renders the reference. `HttpApiScalar` provides this script only inlined in a page. */
const makeScript = Effect.gen(function* () {
  const router = yield* HttpRouter.make
  const page = HttpApiScalar.layer(HttpApi.make("none"), { path: documentPaths.page })
  yield* Effect.scoped(Layer.build(page)).pipe(Effect.provideService(HttpRouter.HttpRouter, router))
  const request = HttpServerRequest.fromWeb(new Request(`http://localhost${documentPaths.page}`))
  const answer = yield* Effect.scoped(router.asHttpEffect()).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request)
  )
  return firstScriptIn(yield* Effect.promise(() => HttpServerResponse.toWeb(answer).text()))
}).pipe(Effect.orDie)

/** Cached for the process: the script is 3 MB and the same for every API in the process. */
let script: Promise<string> | undefined

const readScript = Effect.promise(() => {
  script ??= Effect.runPromise(makeScript)
  return script
})

interface Documents {
  readonly merchant: OpenApi.OpenAPISpec
  readonly operator: OpenApi.OpenAPISpec
}

interface Sampled {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

/**
 * Adds the site's samples to the operations, and a link to the guides to the description. Without a site, returns the
 * document unchanged. Unlike generated samples, the site's samples run as copied once their variables are set.
 */
const withSamples = (document: OpenApi.OpenAPISpec, site: GuideSite | undefined, publicUrl: string): object => {
  if (site === undefined) return document
  const { paths }: Sampled = JSON.parse(JSON.stringify(document))
  const samplesOf = (operationId: string) =>
    (site.samples[operationId] ?? []).map((sample) => ({
      ...sample,
      source: sample.source.replaceAll(baseUrlMark, () => publicUrl)
    }))
  const sampled = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, "x-codeSamples": samplesOf(operation.operationId) }
      ])
    )
  ])
  const { description = "" } = document.info
  const info = { ...document.info, description: `${description} The [guides](../docs) explain it step by step.`.trim() }
  return { ...document, info, paths: Object.fromEntries(sampled) }
}

/** Builds the script that starts the reference. Served as a file, because the page's policy forbids inline scripts. */
const startScript = (merchant: object, operator: object, hasSamples: boolean): string => {
  const sources = [
    { title: "For merchants", slug: "merchant", content: merchant, default: true },
    { title: "For operators", slug: "operator", content: operator }
  ]
  const settings = { ...options, ...(hasSamples ? { hiddenClients: true } : {}), sources }
  return `window.Scalar.createApiReference(document.getElementById("${container}"),${JSON.stringify(settings)})`
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/**
 * `assets` is the scripts' directory as a url relative to the page. A relative url works behind a proxy that adds a
 * prefix.
 */
const pageOf = (
  { info }: OpenApi.OpenAPISpec,
  scripts: ReadonlyArray<string>,
  assets: string
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(info.title)}</title>
${info.description === undefined ? "" : `<meta name="description" content="${escapeHtml(info.description)}">`}
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
</head>
<body>
<div id="${container}"></div>
${scripts.map((file) => `<script src="${assets}/${file}" defer></script>`).join("\n")}
</body>
</html>
`

export interface ReferencePage {
  /** Served at `/docs/reference`. */
  readonly page: StaticContent.StaticContent
  /** Served at `/docs` if no guides are provided. */
  readonly pageAtRoot: StaticContent.StaticContent
  readonly scripts: ReadonlyMap<string, StaticContent.StaticContent>
}

export const isScript = (name: string): boolean => /^(reference|start)-[0-9a-f]{16}\.js$/.test(name)

const javaScript = (text: string) => StaticContent.ofText(text, "text/javascript", StaticContent.immutable)

/**
 * Builds the reference for the documents. It loads nothing from third parties. If `site` is given, its samples replace
 * the generated samples.
 */
export const make = Effect.fnUntraced(function* (
  { merchant, operator }: Documents,
  site: GuideSite | undefined,
  publicUrl: string
) {
  const drawing = yield* javaScript(yield* readScript)
  const starting = yield* javaScript(
    startScript(withSamples(merchant, site, publicUrl), withSamples(operator, site, publicUrl), site !== undefined)
  )
  const scripts = new Map([
    [`reference-${drawing.hash}.js`, drawing],
    [`start-${starting.hash}.js`, starting]
  ])
  const html = (assets: string) =>
    StaticContent.ofText(pageOf(merchant, [...scripts.keys()], assets), "text/html", StaticContent.revalidated)
  const made: ReferencePage = { page: yield* html("assets"), pageAtRoot: yield* html("docs/assets"), scripts }
  return made
})
