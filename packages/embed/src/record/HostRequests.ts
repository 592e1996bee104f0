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
  /** The key. */
  id: HostRequestKey,
  key: HostRequestKey,
  kind: Schema.String,
  queue: Schema.optionalKey(Schema.String),
  status: HostRequestStatus,
  /** Attempts since the last one that had an outcome. */
  attempts: Schema.Int,
  createdAt: Time,
  endedAt: Schema.optionalKey(Time),
  /** The id, status and money of the payment or refund; empty for a consumer. Of a pending refund, its state so far. */
  result: Schema.optionalKey(Schema.toType(HostRequestResult)),
  /** Why it failed, or why its latest attempt did. */
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

/** Its JSON has digits for the amount, as every record's. */
export const plainHostRequest = (request: HostRequest) => {
  const record = write(request)
  return inJson(record.result === undefined ? record : { ...record, result: inJson({ ...record.result }) })
}
