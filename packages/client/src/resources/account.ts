import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Whoami } from "../Interface.generated.js"

/** The merchant behind the key. */
export interface Account {
  /**
   * The key's merchant, and what the key may do now. Works with any status of the merchant.
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
