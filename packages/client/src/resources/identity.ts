import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Query } from "../Given.js"
import type { Identity } from "../Interface.generated.js"
import { UsageError } from "../SuretyError.js"

/** The person and fields to read. */
export interface IdentityQuery extends Omit<Query<"identity.read">, "fields"> {
  /** Names of identity fields. Default: all fields that exist. */
  readonly fields?: ReadonlyArray<string>
}

/** Access to identity fields that people have approved. */
export interface IdentityReading {
  /**
   * Reads the current values of the approved fields. `notApproved` gives the reason for every other field in `fields`
   * or, without `fields`, for every other field that exists. Every read is recorded. Fails with `ConsentRequired` if
   * you have no active grant from the person. Rejects `fields` that is undefined or empty.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer({ display_name: "Ada Obi" })
   * const { id } = await client.dataRequests.create({ service_id: serviceId, requested_fields: ["display_name"] })
   * await client.testHelpers.approveDataRequest(id)
   * const identity = await client.identity.read({ service_id: serviceId, fields: ["display_name", "email"] })
   * console.log(identity)
   */
  readonly read: (query: IdentityQuery, options?: CallOptions) => Call<Identity>
}

const read = async (send: Send, given: IdentityQuery, options?: CallOptions) => {
  const { fields, ...query } = given
  if (!("fields" in given)) return send("identity.read", { query }, options)
  if (fields === undefined || fields.length === 0) {
    throw new UsageError("fields is empty: name the fields to read, or leave it out to read all that are approved.")
  }
  return send("identity.read", { query: { ...query, fields: String(fields) } }, options)
}

export const identity = (send: Send): IdentityReading => ({
  read: (given, options) => callOf(read(send, given, options))
})
