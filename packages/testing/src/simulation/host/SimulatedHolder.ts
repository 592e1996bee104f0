import type { HolderPerson, PersonDataHolder } from "@surety/core/person/PersonDataHolders"
import { Effect, type Schema } from "effect"
import type { World } from "../world/World.js"

/** A system of the host that holds personal data, such as orders. Its erasure is idempotent. */
export interface SimulatedHolder {
  readonly service: Required<PersonDataHolder>
  /** Service ids of people whose erasure was requested without a proposal, by one operator or by the host. */
  readonly asksAlone: Set<string>
  readonly hasErased: (serviceId: string) => boolean
}

export const makeHolder = (world: World): SimulatedHolder => {
  const erased = new Set<string>()
  const held = ({ serviceId }: HolderPerson): Schema.Json => (erased.has(serviceId) ? [] : [`an order of ${serviceId}`])
  return {
    asksAlone: new Set(),
    hasErased: (serviceId) => erased.has(serviceId),
    service: {
      name: "orders",
      export: (person) => Effect.sync(() => held(person)),
      erase: ({ serviceId, userId }) =>
        Effect.sync(() => {
          erased.add(serviceId)
          world.tell(() => `host: erases the orders of ${world.nameOf(userId)}`)
        })
    }
  }
}
