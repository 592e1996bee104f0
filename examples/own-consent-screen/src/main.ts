import { ManagedRuntime } from "effect"
import { makeApp } from "./app.ts"
import { ask, layer } from "./world.ts"

const runtime = ManagedRuntime.make(layer)
const { person } = await runtime.runPromise(ask("Ada Obi", ["display_name", "email"]))
const app = makeApp(runtime)
app.prependListener("request", (request) => {
  // Signs Ada in if a request has no cookie, so the screen has something to show.
  request.headers.cookie ??= `session=${person.userId}`
})
app.listen(Number(process.env.PORT ?? 4100), "127.0.0.1", () => {
  const address = app.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`Ada's data: http://127.0.0.1:${port}/\n`)
})
