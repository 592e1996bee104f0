import { MerchantId } from "@surety/core/Ids"
import type { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { statusChanged } from "@surety/core/operator/actionDrafts"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { everyMistake } from "./mistake/everyMistake.js"
import { answeredAs, server } from "./operation/answered.js"
import { operationCommands } from "./operation/operationCommands.js"
import { shown } from "./operation/shown.js"
import { asOperator, withApp } from "./withApp.js"

const id = Argument.String("merchant").pipe(
  Argument.withDescription("The merchant's id, merchant_…"),
  Argument.withSchema(MerchantId)
)

const reason = Flag.String("reason").pipe(Flag.withDescription("Stored with the change"), Flag.optional)

const changeStatus = (merchantId: MerchantId, to: MerchantStatus, why: Option.Option<string>) =>
  withApp(
    "change",
    Effect.gen(function* () {
      const merchants = yield* Merchants
      const { merchant } = yield* asOperator(
        (actor) =>
          Effect.all({
            merchant: merchants.changeStatus(merchantId, { to, actor, reason: Option.getOrUndefined(why) }),
            history: merchants.history(merchantId)
          }),
        ({ history }) => history.slice(-1).map(statusChanged)[0]
      )
      yield* Console.log(`${merchant.id} is ${merchant.status}.`)
    }).pipe(
      Effect.catchTags({
        MerchantNotFound: () => new StartFailed({ message: `Merchant ${merchantId} not found.` }),
        StatusChangeNotAllowed: ({ allowed, from }) =>
          new StartFailed({
            message:
              allowed.length === 0
                ? `A merchant that is ${from} cannot change its status.`
                : `A merchant that is ${from} can only become ${allowed.join(" or ")}.`
          })
      })
    )
  )

const Changed = Schema.fromJsonString(Schema.Struct({ id: Schema.String, status: Schema.String }))

/**
 * Changes a merchant's status through a running server. While a server runs, only the server can use its embedded
 * database.
 */
const changeStatusAt = Effect.fnUntraced(function* (
  address: string,
  merchantId: MerchantId,
  status: MerchantStatus,
  why: Option.Option<string>
) {
  const body = JSON.stringify({ status, reason: Option.getOrUndefined(why) })
  const target = `/operator/merchants/${merchantId}/status`
  const changed = yield* answeredAs(Changed, address, { method: "POST", target, body, purpose: "change" })
  yield* Console.log(`${shown(changed.id)} is ${shown(changed.status)}.`)
})

const command = (name: string, to: MerchantStatus, description: string) =>
  Command.make(name, everyMistake({ id, reason, server }), (input) =>
    Option.match(input.server, {
      onNone: () => changeStatus(input.id, to, input.reason),
      onSome: (address) => changeStatusAt(address, input.id, to, input.reason)
    })
  ).pipe(Command.withDescription(description))

export const merchantCommand = () =>
  Command.make("merchant").pipe(
    Command.withSubcommands([
      command("activate", "ACTIVE", "Accept a merchant under review, or lift a suspension: LIVE keys work."),
      command("reject", "REJECTED", "Reject a merchant under review: no key works."),
      command("suspend", "SUSPENDED", "Stop an active merchant's LIVE keys."),
      command("close", "CLOSED", "Close a merchant for good: no key works."),
      ...operationCommands("merchants")
    ])
  )
