import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { Effect, Option, Schema } from "effect"
import { orMissing } from "../actingAs.js"
import { type PageView, RecordMissing } from "../ConsolePage.js"

const readId = Schema.decodeUnknownEffect(ConsumerId)

/** Finds the person named in the url, erased or not. Fails with `RecordMissing` if the person is unknown. */
export const personIn = Effect.fnUntraced(function* (view: PageView) {
  const serviceId = yield* orMissing(readId(view.param("consumerId")))
  const person = yield* (yield* PersonStore).find(view.environment, serviceId)
  return Option.isSome(person) ? person.value : yield* new RecordMissing()
})

/**
 * Maximum number of records of each kind that a page counts. One person, such as a shop that pays for its staff, may
 * have a million payments.
 */
export const countedTo = 100

/**
 * Reads the newest records of the person named in the url, at most `atMost` of each kind except wallets. Includes
 * refunds only of the payments read. Fails with `RecordMissing` if the person is erased or unknown.
 */
export const holdingsIn = Effect.fnUntraced(function* (view: PageView, atMost = countedTo) {
  const { serviceId } = yield* personIn(view)
  const held = yield* (yield* PersonLog).holdings(view.environment, serviceId, atMost)
  return Option.isSome(held) ? held.value : yield* new RecordMissing()
})
