import { Duration, Effect, Option, Redacted } from "effect"
import {
  ConsumerDirectory,
  DirectoryUnavailable,
  type IdentityValues,
  readValues
} from "../../consumer/ConsumerDirectory.js"
import { serviceIdField } from "../../consumer/IdentityField.js"
import { maskedValue } from "../../consumer/maskedValue.js"
import { callHost } from "../../host/callHost.js"
import type { DataRequest } from "../request/DataRequest.js"

/** Time limit for the directory during a preview. */
export const previewTimeout = Duration.seconds(3)

/**
 * The values that the merchant would read, by field, masked by `maskedValue`. Fields that the directory omits are
 * absent, except `service_id`.
 */
export type Previews = Readonly<Record<string, string | boolean>>

/**
 * Builds a function that reads a request's fields from the directory and masks their values. It returns `None` if the
 * directory fails or does not return valid values within `previewTimeout`.
 */
export const make = Effect.gen(function* () {
  const directory = yield* ConsumerDirectory

  return Effect.fn("PersonConsents.previews")(function* (request: DataRequest) {
    const { environment, requestedFields, serviceId, userId } = request
    const wanted = requestedFields.filter((field) => field !== serviceIdField)
    const known = yield* callHost(
      {
        part: "directory",
        operation: "values",
        read: readValues,
        timeout: previewTimeout,
        unavailable: (cause) => new DirectoryUnavailable({ cause }),
        consequence: "the person sees no preview",
        given: () => [userId, serviceId]
      },
      () => directory.values({ environment, userId, serviceId }, wanted)
    ).pipe(
      Effect.map((values): IdentityValues => ({ ...values, [serviceIdField]: Redacted.make(serviceId) })),
      Effect.option
    )
    return Option.map(
      known,
      (values): Previews =>
        Object.fromEntries(
          requestedFields.flatMap((field) => {
            const value = Object.hasOwn(values, field) ? values[field] : undefined
            return value === undefined ? [] : [[field, maskedValue(field, value)]]
          })
        )
    )
  })
})
