import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { RightsRequestId, UserId } from "@surety/core/Ids"
import type { Erasure } from "@surety/core/person/Erasure"
import type { HeldPerson } from "@surety/core/person/HeldPerson"
import { type RightsRequest, RightsRequestKind, RightsRequestStatus } from "@surety/core/person/RightsRequest"
import { Redacted, Schema } from "effect"
import { plain, Time } from "./plain.js"

const PlainPerson = Schema.Struct({
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  restrictedAt: Schema.optionalKey(Time)
})

export const plainPerson = plain(PlainPerson, (person: HeldPerson) => person)

const PlainErasure = Schema.Struct({
  environment: Environment,
  serviceId: ConsumerId,
  erasedAt: Time,
  kept: Schema.Array(
    Schema.Struct({ record: Schema.String, count: Schema.Int, why: Schema.String, until: Schema.String })
  )
})

export const plainErasure = plain(PlainErasure, (erasure: Erasure) => erasure)

const PlainRightsRequest = Schema.Struct({
  id: RightsRequestId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  kind: RightsRequestKind,
  note: Schema.optionalKey(Schema.String),
  status: RightsRequestStatus,
  askedAt: Time,
  dueAt: Time,
  closedAt: Schema.optionalKey(Time),
  closedBy: Schema.optionalKey(Schema.String)
})

export const plainRightsRequest = plain(PlainRightsRequest, ({ note, ...request }: RightsRequest) => ({
  ...request,
  ...(note === undefined ? {} : { note: Redacted.value(note) })
}))
