import { toUuid } from "@surety/core/Ids"
import type { KycStore, SparedLeases } from "@surety/core/kyc/KycStore"
import { Array as Arr, DateTime, Effect, Option } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as VerificationRow from "./VerificationRow.js"

type Verbs = Pick<KycStore["Service"], "claim" | "lease" | "leaseCalled" | "reroute" | "forgetAnswers">

export const make = (database: Database): Verbs => {
  const { name, sql, verb } = database
  const verifications = name("verification")

  const isNobodys = (now: DateTime.Utc): Fragment => sql`
    (v.leased_until is null or v.leased_until <= ${DateTime.toDate(now)})`

  const isNotSpared = ({ leasedAt, status }: SparedLeases): Fragment =>
    status === undefined ? isNobodys(leasedAt) : sql`(v.status <> ${status} or ${isNobodys(leasedAt)})`

  /** Leases the rows that `chosen` locks, and returns them undecoded, in the order of their due times. */
  const taking = (chosen: Fragment, leasedUntil: DateTime.Utc) => sql`
    with chosen as materialized (${chosen}),
    taken as (
      update ${verifications} v set leased_until = ${DateTime.toDate(leasedUntil)}, fence = v.fence + 1
      from chosen where v.id = chosen.id
      returning v.*
    )
    select ${sql.literal(VerificationRow.leasedColumns)} from taken v order by v.due_at, v.id`

  const takeChosen = (chosen: Fragment, leasedUntil: DateTime.Utc) =>
    Effect.flatMap(taking(chosen, leasedUntil), VerificationRow.decodeLeased)

  const claim: Verbs["claim"] = Effect.fn("PgKycStore.claim")(
    ({ leasedUntil, id, limit, now }) =>
      Effect.flatMap(
        taking(
          sql`
            select v.id from ${verifications} v
            where v.due_at <= ${DateTime.toDate(now)} and ${isNobodys(now)}
              ${id === undefined ? sql`` : sql`and v.id = ${toUuid(id)}`}
            order by v.due_at, v.id limit ${limit}
            for no key update skip locked`,
          leasedUntil
        ),
        VerificationRow.decodeClaimed
      ),
    verb("KycStore.claim")
  )

  const lease: Verbs["lease"] = Effect.fn("PgKycStore.lease")(
    (id, now, leasedUntil) =>
      Effect.map(
        takeChosen(
          sql`
            select v.id from ${verifications} v
            where v.id = ${toUuid(id)} and v.due_at is not null and ${isNobodys(now)}
            for no key update`,
          leasedUntil
        ),
        Arr.head
      ),
    verb("KycStore.lease")
  )

  const leaseCalled: Verbs["leaseCalled"] = Effect.fn("PgKycStore.leaseCalled")(function* (
    { provider, providerReference, reference },
    leasedUntil,
    spared
  ) {
    if (reference === undefined && providerReference === undefined) return Option.none()
    const isMeant =
      reference === undefined ? sql`v.provider_reference = ${providerReference}` : sql`v.id = ${toUuid(reference)}`
    const taken = yield* takeChosen(
      sql`
        select v.id from ${verifications} v
        where ${isMeant} and v.provider = ${provider} and v.due_at is not null
          ${spared === undefined ? sql`` : sql`and ${isNotSpared(spared)}`}
        order by v.id desc limit 1
        for no key update`,
      leasedUntil
    )
    return Arr.head(taken)
  }, verb("KycStore.leaseCalled"))

  const reroute: Verbs["reroute"] = Effect.fn("PgKycStore.reroute")(function* (
    { fence, verification: { environment, id, merchantId } },
    provider,
    leasedUntil
  ) {
    const rows = yield* sql`
      update ${verifications} v set provider = ${provider}, leased_until = ${DateTime.toDate(leasedUntil)}
      where v.id = ${toUuid(id)} and v.merchant_id = ${toUuid(merchantId)} and v.environment = ${environment}
        and v.due_at is not null and v.fence = ${fence} and v.provider_reference is null
      returning 1`
    return rows.length > 0
  }, verb("KycStore.reroute"))

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

  return { claim, lease, leaseCalled, reroute, forgetAnswers }
}
