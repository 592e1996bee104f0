import { Environment } from "@surety/core/Environment"
import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import { Moment } from "@surety/core/input/Text"
import { type BreachLine, breachReport } from "@surety/core/person/BreachReport"
import { Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { everyMistake } from "./mistake/everyMistake.js"
import { withApp } from "./withApp.js"

const since = Flag.String("since").pipe(
  Flag.withDescription("When the breach began, such as 2026-03-01T09:30:00Z"),
  Flag.withSchema(Moment)
)

const until = Flag.String("until").pipe(
  Flag.withDescription("When the breach ended; default: now"),
  Flag.withSchema(Moment),
  Flag.optional
)

const key = Flag.String("key").pipe(
  Flag.withDescription("The id of the API key that leaked, apikey_…"),
  Flag.withSchema(ApiKeyId),
  Flag.optional
)

const merchant = Flag.String("merchant").pipe(
  Flag.withDescription("The compromised merchant's id, merchant_…"),
  Flag.withSchema(MerchantId),
  Flag.optional
)

const environment = Flag.Literals("environment", Environment.literals).pipe(
  Flag.withDescription("LIVE or TEST; default LIVE"),
  Flag.withDefault("LIVE")
)

const record = ({ apiKeyId, fields, firstAt, lastAt, merchantId, reads, serviceId }: BreachLine) => ({
  serviceId,
  merchantId,
  apiKeyId: apiKeyId ?? null,
  fields,
  reads,
  firstAt: DateTime.formatIso(firstAt),
  lastAt: DateTime.formatIso(lastAt)
})

const report = Command.make("report", everyMistake({ since, until, key, merchant, environment }), (input) =>
  withApp(
    "read",
    Effect.gen(function* () {
      const lines = yield* breachReport({
        environment: input.environment,
        since: input.since,
        until: Option.getOrUndefined(input.until),
        merchantId: Option.getOrUndefined(input.merchant),
        apiKeyId: Option.getOrUndefined(input.key)
      })
      const people = new Set(lines.map(({ serviceId }) => serviceId)).size
      yield* Console.log(JSON.stringify({ people, reads: lines.map(record) }, undefined, 2))
    })
  )
).pipe(
  Command.withDescription(
    "List whose details were read since a time, which fields, and by which merchant and API key. Prints no values."
  )
)

/** `surety breach …`: reports whose data was read, for a breach notice, which is due within 72 hours. */
export const breach = Command.make("breach").pipe(Command.withSubcommands([report]))
