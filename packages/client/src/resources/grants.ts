import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Query } from "../Given.js"
import type { Grant, GrantReceipt } from "../Interface.generated.js"
import { type List, listOf } from "../List.js"

/** People's consents that let you read their data, with receipts. */
export interface Grants {
  /**
   * Lists grants, newest first, including ended ones. `service_id` limits the list to one person.
   *
   * @example
   * for await (const { fields, status } of client.grants.list({ limit: 10 })) console.log(status, fields)
   */
  readonly list: (query?: Query<"grants.list">, options?: CallOptions) => List<Grant>
  /**
   * Returns a grant's current state by its id.
   *
   * @example
   * for await (const { id } of client.grants.list({ limit: 1 })) {
   *   const { expiresAt, oneTime } = await client.grants.get(id)
   *   console.log(expiresAt, oneTime)
   * }
   */
  readonly get: (grantId: string, options?: CallOptions) => Call<Grant>
  /**
   * Returns a grant's receipts, oldest first. They prove that the grant was given and, once its end is recorded, how it
   * ended. Each receipt is returned as JSON and as `jws`. A JOSE library that supports Ed25519 can verify `jws` with
   * the keys at `/.well-known/jwks.json`.
   *
   * @example
   * for await (const { id } of client.grants.list({ limit: 1 })) {
   *   const { data } = await client.grants.receipts(id)
   *   for (const { jws, receipt } of data) console.log(receipt.receiptId, jws.length)
   * }
   */
  readonly receipts: (grantId: string, options?: CallOptions) => Call<{ readonly data: ReadonlyArray<GrantReceipt> }>
}

export const grants = (send: Send): Grants => ({
  list: (query = {}, options) => {
    const read = async (page: Query<"grants.list">) => (await send("grants.list", { query: page }, options)).data
    return listOf(read(query), (cursor) => read({ ...query, cursor }))
  },
  get: (grantId, options) => callOf(send("grants.get", { path: { grantId } }, options)),
  receipts: (grantId, options) => callOf(send("grants.receipts", { path: { grantId } }, options))
})
