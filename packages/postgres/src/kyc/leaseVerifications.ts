import { toUuid } from "@surety/core/Ids"
import type { KycStore } from "@surety/core/kyc/KycStore"
import { Array as Arr, DateTime, Effect, Option } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as VerificationRow from "./VerificationRow.js"

type Verbs = Pick<KycStore["Service"], "claim" | "hold" | "seize" | "forgetAnswers">

/** The workers' side of `KycStore`, which is nobody's in particular. */
export const make = (database: Database): Verbs => {
  const { name, sql, verb } = database
  const verifications = name("verification")

  const isNobodys = (now: DateTime.Utc): Fragment => sql`
    (v.held_until is null or v.held_until <= ${DateTime.toDate(now)})`

  /** Gives the rows that `chosen` locks to a new holder, the longest due first. */
  const takeChosen = (chosen: Fragment, heldUntil: DateTime.Utc) =>
    Effect.flatMap(
      sql`
        with chosen as materialized (${chosen}),
        taken as (
          update ${verifications} v set held_until = ${DateTime.toDate(heldUntil)}, fence = v.fence + 1
          from chosen where v.id = chosen.id
          returning v.*
        )
        select ${sql.literal(VerificationRow.heldColumns)} from taken v order by v.due_at, v.id`,
      VerificationRow.decodeHeld
    )

  const claim: Verbs["claim"] = Effect.fn("PgKycStore.claim")(
    ({ heldUntil, id, limit, now }) =>
      takeChosen(
        sql`
          select v.id from ${verifications} v
          where v.due_at <= ${DateTime.toDate(now)} and ${isNobodys(now)}
            ${id === undefined ? sql`` : sql`and v.id = ${toUuid(id)}`}
          order by v.due_at, v.id limit ${limit}
          for no key update skip locked`,
        heldUntil
      ),
    verb("KycStore.claim")
  )

  const hold: Verbs["hold"] = Effect.fn("PgKycStore.hold")(
    (id, now, heldUntil) =>
      Effect.map(
        takeChosen(
          sql`
            select v.id from ${verifications} v
            where v.id = ${toUuid(id)} and v.due_at is not null and ${isNobodys(now)}
            for no key update`,
          heldUntil
        ),
        Arr.head
      ),
    verb("KycStore.hold")
  )

  const seize: Verbs["seize"] = Effect.fn("PgKycStore.seize")(function* (
    { provider, providerReference, reference },
    heldUntil
  ) {
    if (reference === undefined && providerReference === undefined) return Option.none()
    const isMeant =
      reference === undefined ? sql`v.provider_reference = ${providerReference}` : sql`v.id = ${toUuid(reference)}`
    const taken = yield* takeChosen(
      sql`
        select v.id from ${verifications} v
        where ${isMeant} and v.provider = ${provider} and v.due_at is not null
        order by v.id desc limit 1
        for no key update`,
      heldUntil
    )
    return Arr.head(taken)
  }, verb("KycStore.seize"))

  const forgetAnswers: Verbs["forgetAnswers"] = Effect.fn("PgKycStore.forgetAnswers")(function* (madeBefore, limit) {
    const rows = yield* sql`
      with old as materialized (
        select v.id from ${verifications} v
        where v.idempotency_key is not null and v.due_at is null and v.created_at < ${DateTime.toDate(madeBefore)}
        order by v.created_at, v.id limit ${limit}
        for no key update skip locked
      )
      update ${verifications} v set idempotency_key = null, fingerprint = null, answer = null
      from old where v.id = old.id
      returning 1`
    return rows.length
  }, verb("KycStore.forgetAnswers"))

  return { claim, hold, seize, forgetAnswers }
}
