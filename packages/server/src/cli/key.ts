import type { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { apiKeyChanged } from "@surety/core/operator/actionDrafts"
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { everyMistake } from "./mistake/everyMistake.js"
import { answeredAs, server } from "./operation/answered.js"
import { shown } from "./operation/shown.js"
import { asOperator, withApp } from "./withApp.js"

const Issued = Schema.fromJsonString(Schema.Struct({ secret: Schema.String }))

/**
 * Creates the key through a running server and prints its secret. While a server runs, only the server can use its
 * embedded database.
 */
const createAt = Effect.fnUntraced(function* (address: string, merchant: MerchantId, environment: Environment) {
  const body = JSON.stringify({ environment })
  const target = `/merchants/${merchant}/api-keys`
  const { secret } = yield* answeredAs(Issued, address, { method: "POST", target, body, purpose: "change" })
  yield* Console.log(shown(secret))
})

const createHere = (merchant: MerchantId, environment: Environment) =>
  withApp(
    "change",
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { secret } = yield* asOperator(
        () => keys.issue(merchant, environment),
        (issued) => apiKeyChanged("api_key.created")(issued.key)
      )
      yield* Console.log(Redacted.value(secret))
    }).pipe(
      Effect.catchTags({
        MerchantNotFound: () => new StartFailed({ message: `Merchant ${merchant} not found.` }),
        MerchantNotActive: ({ status }) =>
          new StartFailed({ message: `A merchant that is ${status} cannot have a ${environment} key.` })
      })
    )
  )

const create = Command.make(
  "create",
  everyMistake({
    merchant: Argument.String("merchant").pipe(
      Argument.withDescription("The merchant's id, merchant_…"),
      Argument.withSchema(MerchantId)
    ),
    environment: Flag.Literals("environment", ["TEST", "LIVE"]).pipe(
      Flag.withDescription("Default TEST. LIVE needs an active merchant."),
      Flag.withDefault("TEST")
    ),
    server
  }),
  ({ environment, merchant, server: at }) =>
    Option.match(at, {
      onNone: () => createHere(merchant, environment),
      onSome: (address) => createAt(address, merchant, environment)
    })
).pipe(Command.withDescription("Create an API key and print its secret, which is never shown again."))

export const key = Command.make("key").pipe(Command.withSubcommands([create]))
