import { DateTime, Effect, Option, type Redacted } from "effect"
import type { Environment } from "../../Environment.js"
import type { PageRequest } from "../../Page.js"
import { Keyring } from "../../secret/Keyring.js"
import {
  type ConsentListing,
  ConsentLog,
  type LinkedDataRequest,
  mayBeAsked,
  type PersonFilter
} from "../ConsentLog.js"
import type { Controller } from "../receipt/Receipt.js"
import { type DataRequest, dataRequestAsOf } from "./DataRequest.js"

export interface PendingRequest {
  readonly request: DataRequest
  readonly controller: Controller
  /**
   * url at which the person decides. Absent if no link is stored, the url cannot be unsealed, or the merchant may not
   * ask the person.
   */
  readonly url: Redacted.Redacted<string> | undefined
}

/** Builds `DataRequests.list`, `listPending` and `listDisowned`. */
export const makeLists = Effect.gen(function* () {
  const log = yield* ConsentLog
  const keyring = yield* Keyring

  const list = Effect.fn("DataRequests.list")(function* (
    listing: ConsentListing,
    filter: PersonFilter,
    page: PageRequest
  ) {
    const { data, nextCursor } = yield* log.listRequests(listing, filter, page)
    const now = yield* DateTime.now
    return { data: data.map((one) => dataRequestAsOf(one, now)), nextCursor }
  })

  const withUrl = (linked: LinkedDataRequest) => {
    const { controller, request, sealedUrl } = linked
    const url =
      sealedUrl === undefined || !mayBeAsked(linked)
        ? Effect.succeedNone
        : Effect.option(keyring.open(request.id, sealedUrl))
    return Effect.map(url, (opened): PendingRequest => ({ request, controller, url: Option.getOrUndefined(opened) }))
  }

  const listPending = Effect.fn("DataRequests.listPending")(function* (environment: Environment, page: PageRequest) {
    const { data, nextCursor } = yield* log.listPending(environment, yield* DateTime.now, page)
    return { data: yield* Effect.forEach(data, withUrl), nextCursor }
  })

  return { list, listPending, listDisowned: log.listDisowned }
})
