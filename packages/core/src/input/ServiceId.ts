import { Effect, Result, Schema } from "effect"
import * as ConsumerId from "../consumer/ConsumerId.js"
import { parsedText, text } from "./Text.js"

const longest = 64

const parse = (sent: string) =>
  Effect.map(ConsumerId.ConsumerIdScheme, (scheme) =>
    Result.mapError(ConsumerId.parse(sent, scheme), (fault) => ({
      code: fault.reason === "merchant_code" ? "merchant_code_not_accepted" : "service_id_invalid",
      detail: ConsumerId.describeFault(fault)
    }))
  )

/**
 * A consumer identifier as people write it: any letter case, white space anywhere, hyphen look-alikes, all hyphens or
 * none (contract 1.1). At most 64 characters including white space. The check scheme in force verifies its check
 * character.
 */
export const ServiceId = parsedText(
  text(longest).annotate({
    description: "The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.",
    examples: ["SR1-K7QM-WX4T-A"],
    codes: ["service_id_invalid", "merchant_code_not_accepted"]
  }),
  ConsumerId.ConsumerId,
  parse
)

export const isServiceId = Schema.is(ConsumerId.ConsumerId)
