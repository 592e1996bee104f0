import { EventLog } from "@surety/core/event/EventLog"
import * as Lists from "@surety/testing/event/DeliveryListLaws"
import { Effect } from "effect"
import { type Broken, broken, countingPages } from "./Broken.js"

const forgetting = (key: "status" | "merchantId" | "endpointId"): Broken =>
  broken(
    EventLog,
    `lists deliveries of whatever ${key}`,
    (sound) => ({ listDeliveries: (filter, page) => sound.listDeliveries({ ...filter, [key]: undefined }, page) }),
    [Lists.filtersDeliveries]
  )

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    EventLog,
    "counts deliveries for a cursor",
    (sound) => ({ listDeliveries: (filter, page) => countingPages((all) => sound.listDeliveries(filter, all))(page) }),
    [Lists.listsDeliveriesNewestFirst]
  ),
  broken(
    EventLog,
    "lists the deliveries of both environments",
    (_, state) => ({
      listDeliveries: (_filter, page) =>
        countingPages(() =>
          Effect.sync(() => ({
            data: [...state.deliveries.values()].map(({ delivery }) => delivery).reverse(),
            nextCursor: undefined
          }))
        )(page)
    }),
    [Lists.listsDeliveriesNewestFirst, Lists.filtersDeliveries]
  ),
  broken(
    EventLog,
    "has one delivery of an event in its list",
    (sound) => ({
      listDeliveries: (filter, page) =>
        Effect.map(sound.listDeliveries(filter, page), ({ data, nextCursor }) => ({
          data: data.filter(({ eventId }, index) => data.findIndex((one) => one.eventId === eventId) === index),
          nextCursor
        }))
    }),
    [Lists.listsManyOfOneEvent]
  ),
  forgetting("status"),
  forgetting("merchantId"),
  forgetting("endpointId")
]
