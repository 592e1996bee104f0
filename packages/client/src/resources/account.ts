import { type Call, callOf } from "../call/Call.js"
import type { CallOptions } from "../call/CallOptions.js"
import type { Send } from "../call/send.js"
import type { Whoami } from "../Interface.generated.js"

/** Information about the API key and its merchant. */
export interface Account {
  /**
   * Returns the key's merchant, the key's environment, and whether the merchant's status allows TEST and LIVE keys.
   * Works regardless of that status.
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
