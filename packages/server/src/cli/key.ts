import { MerchantId } from "@surety/core/Ids"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { apiKeyChanged } from "@surety/http/operator/actionDrafts"
import { Console, Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { asOperator, withApp } from "./withApp.js"

const create = Command.make(
  "create",
  {
    merchant: Argument.String("merchant").pipe(
      Argument.withDescription("The merchant's id, merchant_…"),
      Argument.withSchema(MerchantId)
    ),
    environment: Flag.Literals("environment", ["TEST", "LIVE"]).pipe(
      Flag.withDescription("LIVE needs an active merchant"),
      Flag.withDefault("TEST")
    )
  },
  ({ environment, merchant }) =>
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
          MerchantNotFound: () => new StartFailed({ message: `There is no merchant ${merchant}.` }),
          MerchantNotActive: ({ status }) =>
            new StartFailed({ message: `A merchant that is ${status} cannot have a ${environment} key.` })
        })
      )
    )
).pipe(Command.withDescription("Create an API key and print its secret, which is never shown again."))

/** `surety key …`: merchants' API keys. */
export const key = Command.make("key").pipe(
  Command.withDescription("Create API keys."),
  Command.withSubcommands([create])
)
