import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Whoami } from "../Interface.generated.js"

/** The key's merchant and permissions. */
export interface Account {
  /**
   * Returns the key's merchant and the key's current permissions. Works regardless of the merchant's status.
   *
   * @example
   * const { environment, name, status } = await client.account.whoami()
   * console.log(name, environment, status)
   */
  readonly whoami: (options?: CallOptions) => Call<Whoami>
}

export const account = (send: Send): Account => ({
  whoami: (options) => callOf(send("account.whoami", {}, options))
})
