import type { Refusal } from "../page/ConsolePage.js"

/** The same refusal, which notes whether a form says it. */
export const sayingIn = (refusal: Refusal, said: { inForm: boolean }): Refusal => ({
  ...refusal,
  get message() {
    said.inForm = true
    return refusal.message
  }
})
