import { type Call, callOf } from "../Call.js"
import type { CallOptions } from "../CallOptions.js"
import type { Whoami } from "../Interface.generated.js"
import type { Send } from "../send.js"

/** The merchant behind the key. */
export interface Account {
  /** Who the key belongs to, and what it may do now. Answers whatever the merchant's status is. */
  readonly whoami: (options?: CallOptions) => Call<Whoami>
}

export const account = (send: Send): Account => ({
  whoami: (options) => callOf(send("account.whoami", {}, options))
})
