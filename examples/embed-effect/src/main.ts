// A ride company's server in Effect, with Surety as layers.
//
//   DATABASE_URL=postgres://… SECRETS_KEY=$(openssl rand -base64 32) npx pnpm --filter ./examples/embed-effect start
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Config, Console, Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as App from "./App.ts"

const main = Layer.unwrap(
  Effect.gen(function* () {
    const port = yield* Config.Number("PORT").pipe(Config.withDefault(3000))
    const url = yield* Config.Redacted("DATABASE_URL")
    const secretsKey = yield* Config.Redacted("SECRETS_KEY")
    const secretKey = Redacted.make(new Uint8Array(Buffer.from(Redacted.value(secretsKey), "base64")))
    const listening = Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
      Console.log(`rides listening on ${HttpServer.formatAddress(address)}`)
    )
    return Layer.effectDiscard(listening).pipe(
      Layer.provideMerge(App.layer({ publicUrl: `http://127.0.0.1:${port}/pay`, secretKey })),
      Layer.provide(PgClient.layer({ url })),
      Layer.provide(NodeHttpServer.layer(() => createServer(), { port, host: "127.0.0.1" }))
    )
  })
)

NodeRuntime.runMain(Layer.launch(main))
