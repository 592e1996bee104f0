import type { PgClient } from "@effect/sql-pg/PgClient"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { UserId } from "@surety/core/Ids"
import type { ErasurePlan } from "@surety/core/person/decideErasure"
import type { HeldPerson } from "@surety/core/person/HeldPerson"
import { ErasuresExhausted, PersonStore } from "@surety/core/person/PersonStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as DataRequestRow from "../consent/DataRequestRow.js"
import * as GrantRow from "../consent/GrantRow.js"
import * as VerificationRow from "../kyc/VerificationRow.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { erasePerson } from "./erasePerson.js"

const PersonRow = Schema.Struct({
  environment: Environment,
  userId: UserId,
  serviceId: Column.consumerId,
  externalId: Column.nullable(Schema.String),
  restrictedAt: Column.nullable(Column.time),
  erasedAt: Column.nullable(Column.time)
})

const personColumns = `c.environment, c.id as "userId", coalesce(c.service_id, c.erased_service_id) as "serviceId",
  c.external_id as "externalId", c.restricted_at as "restrictedAt", c.erased_at as "erasedAt"`

const decodePersons = Schema.decodeUnknownEffect(Schema.Array(PersonRow))
const decodeRestricted = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...PersonRow.fields, isNew: Schema.Boolean }))
)

const ErasureRow = Schema.Struct({
  ...PersonRow.fields,
  grants: Schema.Unknown,
  controllers: Schema.Array(DataRequestRow.ControllerColumn),
  requests: Schema.Unknown,
  verifications: Schema.Unknown,
  pendingRefunds: Schema.Int
})

const decodeErasures = Schema.decodeUnknownEffect(Schema.Array(ErasureRow))

const RemainsRow = Schema.Struct({
  payments: Schema.Int,
  refunds: Schema.Int,
  accounts: Schema.Int,
  receipts: Schema.Int,
  dataRequests: Schema.Int,
  grants: Schema.Int,
  reads: Schema.Int,
  verifications: Schema.Int,
  rightsRequests: Schema.Int
})

const decodeRemains = Schema.decodeUnknownEffect(Schema.Tuple([RemainsRow]))

/** An erasure is one statement. */
export const layer: Layer.Layer<PersonStore, never, PgClient | DeliverySignal> = Layer.effect(
  PersonStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { isRefundOf, name, sql, verb } = database
    const consumers = name("consumer")
    const columns = sql.literal(personColumns)

    const find = Effect.fn("PgPersonStore.find")(function* (environment: Environment, serviceId: ConsumerId) {
      const rows = yield* sql`
        select ${columns} from ${consumers} c
        where coalesce(c.service_id, c.erased_service_id) = ${serviceId} and c.environment = ${environment}`
      return Arr.head(yield* decodePersons(rows))
    }, verb("PersonStore.find"))

    const restrict = Effect.fn("PgPersonStore.restrict")(function* (
      environment: Environment,
      serviceId: ConsumerId,
      restrictedAt: DateTime.Utc | undefined
    ) {
      const to =
        restrictedAt === undefined ? sql`null` : sql`coalesce(b.restricted_at, ${DateTime.toDate(restrictedAt)})`
      const rows = yield* sql`
        with before as materialized (
          select c.environment, c.id, c.restricted_at from ${consumers} c
          where c.service_id = ${serviceId} and c.environment = ${environment}
          for no key update
        )
        update ${consumers} c set restricted_at = ${to}
        from before b where c.environment = b.environment and c.id = b.id
        returning ${columns}, (b.restricted_at is null) = ${restrictedAt !== undefined} as "isNew"`
      return Option.map(Arr.head(yield* decodeRestricted(rows)), ({ isNew, ...person }) => ({ person, isNew }))
    }, verb("PersonStore.restrict"))

    const erasure = Effect.fn("PgPersonStore.erasure")(function* (environment: Environment, serviceId: ConsumerId) {
      const theirs = (alias: string) => sql.literal(`${alias}.user_id = c.id and ${alias}.environment = c.environment`)
      const active = sql`${theirs("g")} and g.status = 'ACTIVE'`
      const pending = sql`${theirs("r")} and r.status = 'PENDING'`
      const rows = yield* sql`
        select ${columns}, ${GrantRow.jsonOf(database, active)} as grants,
          (
            select coalesce(jsonb_agg(found.controller), '[]') from (
              select ${sql.literal(DataRequestRow.controllerColumn)} from ${name("merchant")} m
              where m.id in (select g.merchant_id from ${name("consent_grant")} g where ${active})
                or m.id in (select r.merchant_id from ${name("data_request")} r where ${pending})
            ) found
          ) as controllers,
          ${DataRequestRow.jsonOf(database, pending)} as requests,
          ${VerificationRow.jsonOf(database, sql`${theirs("v")} and v.due_at is not null`)} as verifications,
          (
            select count(*)::int from ${name("payment")} p
            join ${name("refund")} f
              on ${isRefundOf("f", "p")}
            where ${theirs("p")} and f.status = 'PENDING'
          ) as "pendingRefunds"
        from ${consumers} c where c.service_id = ${serviceId} and c.environment = ${environment}`
      const [found] = yield* decodeErasures(rows)
      if (found === undefined) return Option.none()
      const { controllers, grants, pendingRefunds, requests, verifications, ...person } = found
      const byMerchant = new Map(controllers.map((controller) => [controller.merchantId, controller]))
      return Option.some({
        person: person satisfies HeldPerson,
        grants: (yield* GrantRow.decodeJson(grants)).flatMap((grant) => {
          const controller = byMerchant.get(grant.merchantId)
          return controller === undefined ? [] : [{ grant, controller }]
        }),
        requests: (yield* DataRequestRow.decodeJson(requests)).flatMap((request) => {
          const controller = byMerchant.get(request.merchantId)
          return controller === undefined ? [] : [{ request, controller }]
        }),
        verifications: yield* VerificationRow.decodeJson(verifications),
        pendingRefunds
      })
    }, verb("PersonStore.erasure"))

    const erase = Effect.fn("PgPersonStore.erase")(
      (plan: ErasurePlan) => erasePerson(database, signal, plan),
      verb("PersonStore.erase"),
      Effect.flatMap(
        (erased): Effect.Effect<boolean, ErasuresExhausted> =>
          erased === "exhausted" ? Effect.fail(new ErasuresExhausted()) : Effect.succeed(erased)
      )
    )

    const remains = Effect.fn("PgPersonStore.remains")(function* ({ environment, userId }: HeldPerson) {
      const count = (table: string) => sql`(
        select count(*)::int from ${name(table)} t where t.user_id = ${userId} and t.environment = ${environment}
      )`
      const rows = yield* sql`
        select ${count("payment")} as payments, (
            select count(distinct a.currency)::int from ${name("account")} a
            where a.user_id = ${userId} and a.environment = ${environment}
          ) as accounts, ${count("consent_receipt")} as receipts,
          ${count("data_request")} as "dataRequests", ${count("consent_grant")} as grants,
          ${count("identity_read")} as reads, ${count("verification")} as verifications,
          ${count("rights_request")} as "rightsRequests",
          (
            select count(*)::int from ${name("payment")} p
            join ${name("refund")} f
              on ${isRefundOf("f", "p")}
            where p.user_id = ${userId} and p.environment = ${environment}
          ) as refunds`
      const [row] = yield* decodeRemains(rows)
      return row
    }, verb("PersonStore.remains"))

    return PersonStore.of({ find, restrict, erasure, erase, remains })
  })
)
