import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { Page } from "@surety/core/Page"
import * as Laws from "@surety/testing/kyc/VerificationLogLaws"
import { Effect } from "effect"
import { type Broken, broken, countingPages } from "./Broken.js"

const reversed = <A>({ data, nextCursor }: Page<A>): Page<A> => ({ data: data.toReversed(), nextCursor })

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    VerificationLog,
    "counts rows in its cursors",
    (sound) => ({ list: (scope, page) => countingPages((request) => sound.list(scope, request))(page) }),
    [Laws.listsNewestFirst]
  ),
  broken(
    VerificationLog,
    "lists the oldest of a page first",
    (sound) => ({ list: (scope, page) => Effect.map(sound.list(scope, page), reversed) }),
    [Laws.listsNewestFirst, Laws.ordersOneMoment]
  ),
  broken(
    VerificationLog,
    "lists verifications as they began",
    (sound) => ({
      list: (scope, page) =>
        Effect.map(sound.list(scope, page), ({ data, nextCursor }) => ({
          data: data.map((verification) => ({ ...verification, status: "PENDING" as const })),
          nextCursor
        }))
    }),
    [Laws.showsWhatBecame]
  ),
  broken(
    VerificationLog,
    "lists everybody's",
    (sound) => ({
      list: ({ environment }, page) => sound.listAll({ environment, merchantId: undefined }, page)
    }),
    [Laws.strangersListNothing]
  ),
  broken(
    VerificationLog,
    "lists the other environment's to the operator",
    (sound) => ({
      listAll: ({ environment, merchantId }, page) =>
        sound.listAll({ environment: environment === "TEST" ? "LIVE" : "TEST", merchantId }, page)
    }),
    [Laws.strangersListNothing]
  ),
  broken(
    VerificationLog,
    "lists persons whom the merchant may no longer name",
    (sound) => ({ list: (scope, page) => sound.listAll(scope, page) }),
    [Laws.unlinkedIsOperators]
  ),
  broken(
    VerificationLog,
    "hides from the operator persons whom the merchant may no longer name",
    (sound) => ({
      listAll: ({ environment, merchantId }, page) =>
        merchantId === undefined
          ? sound.listAll({ environment, merchantId }, page)
          : sound.list({ environment, merchantId }, page)
    }),
    [Laws.unlinkedIsOperators]
  ),
  broken(
    VerificationLog,
    "starts anew with a cursor that it did not make",
    (sound) => ({ list: (scope, { limit }) => sound.list(scope, { limit, cursor: undefined }) }),
    [Laws.foreignCursor]
  )
]
