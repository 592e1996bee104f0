import { type Call, callOf } from "../Call.js"
import type { CallOptions } from "../CallOptions.js"
import type { Query } from "../Given.js"
import type { Identity } from "../Interface.generated.js"
import type { Send } from "../send.js"

/** Whose fields to read. */
export interface IdentityQuery extends Omit<Query<"identity.read">, "fields"> {
  /** Names of identity fields. Default: all that are approved. */
  readonly fields?: ReadonlyArray<string>
}

/** Reads what people have approved. */
export interface IdentityReading {
  /**
   * The approved fields with their values of now; `notApproved` tells why each other field is not there. Every reading is
   * recorded. `ConsentRequired` where the person has approved nothing.
   */
  readonly read: (query: IdentityQuery, options?: CallOptions) => Call<Identity>
}

export const identity = (send: Send): IdentityReading => ({
  read: ({ fields, ...query }, options) => {
    const named = fields === undefined ? {} : { fields: String(fields) }
    return callOf(send("identity.read", { query: { ...query, ...named } }, options))
  }
})
