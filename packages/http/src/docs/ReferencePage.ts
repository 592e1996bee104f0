import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, type OpenApi } from "effect/http-api"
import { documentPaths } from "../RouteTable.js"
import * as StaticContent from "../static/StaticContent.js"

/** Turns off the reference's calls to its vendor. */
const options = {
  _integration: "html",
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false
}

const container = "api-reference-container"
const scriptStart = "<script>"
const scriptEnd = "</script>"

/** The content of a page's first script. */
const firstScriptIn = (page: string): string => {
  const start = page.indexOf(scriptStart)
  const end = page.indexOf(scriptEnd, start)
  if (start < 0 || end < 0) throw new Error("The reference's page has no script of its own.")
  return page.slice(start + scriptStart.length, end)
}

/** The script that renders the reference. It is published only inlined in a page, so it is extracted from there. */
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

/** Cached for the process: it is 3 MB, and every interface in the process serves the same one. */
let script: Promise<string> | undefined

const readScript = Effect.promise(() => {
  script ??= Effect.runPromise(makeScript)
  return script
})

/** Starts the reference with the document. A separate script, since the page's policy allows no inline one. */
const startScript = (document: OpenApi.OpenAPISpec): string =>
  `window.Scalar.createApiReference(document.getElementById("${container}"),${JSON.stringify({ ...options, content: document })})`

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** The scripts' urls are relative to `/docs`, so the page works behind a proxy that adds a prefix. */
const pageOf = ({ info }: OpenApi.OpenAPISpec, scripts: ReadonlyArray<string>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(info.title)}</title>
${info.description === undefined ? "" : `<meta name="description" content="${escapeHtml(info.description)}">`}
<meta name="viewport" content="width=device-width, initial-scale=1">
</head>
<body>
<div id="${container}"></div>
${scripts.map((file) => `<script src="docs/assets/${file}" defer></script>`).join("\n")}
</body>
</html>
`

/** The page at `/docs`, and its scripts by name. */
export interface ReferencePage {
  readonly page: StaticContent.StaticContent
  readonly scripts: ReadonlyMap<string, StaticContent.StaticContent>
}

const javaScript = (text: string) => StaticContent.ofText(text, "text/javascript", StaticContent.immutable)

/** The reference of a document, ready to be served. Works offline. */
export const make = Effect.fnUntraced(function* (document: OpenApi.OpenAPISpec) {
  const drawing = yield* javaScript(yield* readScript)
  const starting = yield* javaScript(startScript(document))
  const scripts = new Map([
    [`reference-${drawing.hash}.js`, drawing],
    [`start-${starting.hash}.js`, starting]
  ])
  const page = yield* StaticContent.ofText(
    pageOf(document, [...scripts.keys()]),
    "text/html",
    StaticContent.revalidated
  )
  const made: ReferencePage = { page, scripts }
  return made
})
