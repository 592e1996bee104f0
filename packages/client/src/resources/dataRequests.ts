import { type Call, callOf } from "../call/Call.js"
import type { CallOptions, KeyedCallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Query } from "../Given.js"
import type { DataRequest, DataRequestForm } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/** Requests to people for identity fields. */
export interface DataRequests {
  /**
   * Asks a person to approve identity fields. The person decides on a hosted page and may approve only some of the
   * fields. A webhook reports the decision. With a TEST key, the response includes the page's url, `consentUrl`.
   *
   * If active grants for the same purpose cover all fields, the request is `APPROVED` immediately. The person is then
   * not asked, and the response has no `consentUrl`. A one-time grant counts only for a one-time request.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer({ display_name: "Ada Obi" })
   * const request = await client.dataRequests.create({
   *   service_id: serviceId,
   *   requested_fields: ["display_name", "email"],
   *   purpose: "To deliver your order and to reach you about it."
   * })
   * console.log(request.status, request.consentUrl)
   */
  readonly create: (request: DataRequestForm, options?: KeyedCallOptions) => Call<DataRequest>
  /**
   * Returns a data request and, once the person has decided, the decision.
   *
   * @example
   * for await (const { id } of client.dataRequests.list({ limit: 10 })) {
   *   const { approvedFields, status } = await client.dataRequests.get(id)
   *   console.log(status, approvedFields)
   * }
   */
  readonly get: (dataRequestId: string, options?: CallOptions) => Call<DataRequest>
  /**
   * Lists data requests, newest first. `service_id` limits the list to one person.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * for await (const request of client.dataRequests.list({ service_id: serviceId })) console.log(request.status)
   */
  readonly list: (query?: Query<"dataRequests.list">, options?: CallOptions) => List<DataRequest>
  /**
   * Cancels a pending request. Fails with `DataRequestDecided` if the request is no longer pending.
   *
   * @example
   * const { serviceId } = await client.testHelpers.createConsumer()
   * const { id } = await client.dataRequests.create({ service_id: serviceId, requested_fields: ["email"] })
   * const cancelled = await client.dataRequests.cancel(id)
   * console.log(cancelled.status)
   */
  readonly cancel: (dataRequestId: string, options?: CallOptions) => Call<DataRequest>
}

export const dataRequests = (send: Send): DataRequests => ({
  create: (body, options) => callOf(send("dataRequests.create", { body }, options)),
  get: (dataRequestId, options) => callOf(send("dataRequests.get", { path: { dataRequestId } }, options)),
  list: (query = {}, options) => {
    const read = async (page: Query<"dataRequests.list">) =>
      (await send("dataRequests.list", { query: page }, options)).data
    return listOf(read(query), (cursor) => read({ ...query, cursor }))
  },
  cancel: (dataRequestId, options) => callOf(send("dataRequests.cancel", { path: { dataRequestId } }, options))
})
