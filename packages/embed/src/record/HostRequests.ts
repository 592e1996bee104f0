import {
  type HostRequest,
  HostRequestError,
  HostRequestKey,
  HostRequestResult,
  HostRequestStatus
} from "@surety/core/host/HostRequest"
import { Schema } from "effect"
import { inJson, plain, Time } from "./plain.js"

const HostRequestRecord = Schema.Struct({
  /** Same as `key`. */
  id: HostRequestKey,
  key: HostRequestKey,
  kind: Schema.String,
  queue: Schema.optionalKey(Schema.String),
  status: HostRequestStatus,
  /** Number of attempts so far. Waiting for a refund's outcome resets it to 0. */
  attempts: Schema.Int,
  createdAt: Time,
  endedAt: Schema.optionalKey(Time),
  /**
   * For a `DONE` request, the id, status and amount of its payment or refund; empty for a consumer. For any other
   * request, the last pending state of the refund that it began, if any.
   */
  result: Schema.optionalKey(Schema.toType(HostRequestResult)),
  /** Why the request, or its latest attempt, failed. */
  error: Schema.optionalKey(HostRequestError)
})

const write = plain(HostRequestRecord, ({ endedAt, error, queue, result, ...request }: HostRequest) => ({
  ...request,
  id: request.key,
  ...(endedAt === undefined ? {} : { endedAt }),
  ...(error === undefined ? {} : { error }),
  ...(queue === undefined ? {} : { queue }),
  ...(result === undefined ? {} : { result })
}))

/** In JSON, the result's amount is a decimal string. */
export const plainHostRequest = (request: HostRequest) => {
  const record = write(request)
  return inJson(record.result === undefined ? record : { ...record, result: inJson({ ...record.result }) })
}
