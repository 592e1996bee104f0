import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, type OpenApi } from "effect/http-api"
import { documentPaths } from "../RouteTable.js"
import * as StaticContent from "../static/StaticContent.js"

/** Turns off what in the reference would call its makers. */
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

/** What stands between the first script's tags of a page. */
const firstScriptIn = (page: string): string => {
  const start = page.indexOf(scriptStart)
  const end = page.indexOf(scriptEnd, start)
  if (start < 0 || end < 0) throw new Error("The reference's page has no script of its own.")
  return page.slice(start + scriptStart.length, end)
}

/** The script that draws the reference. It is found only within a page that has all inlined, so it is taken from there. */
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

/** Read once in a process: it is the same for every interface that the process serves, and it is 3 MB. */
let script: Promise<string> | undefined

const readScript = Effect.promise(() => {
  script ??= Effect.runPromise(makeScript)
  return script
})

/** Starts the reference with the document, so that the page itself holds no script, and its policy allows none. */
const startScript = (document: OpenApi.OpenAPISpec): string =>
  `window.Scalar.createApiReference(document.getElementById("${container}"),${JSON.stringify({ ...options, content: document })})`

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** The scripts are named relative to `/docs`, so the page works behind a proxy that adds a prefix. */
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

/** The page at `/docs`, and its scripts by their names. */
export interface ReferencePage {
  readonly page: StaticContent.StaticContent
  readonly scripts: ReadonlyMap<string, StaticContent.StaticContent>
}

const javaScript = (text: string) => StaticContent.ofText(text, "text/javascript", StaticContent.immutable)

/** The reference of a document, ready to be served. Works without the internet. */
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
