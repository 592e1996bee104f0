import { Schema } from "effect"
import { Topic, topics } from "../event/DomainEvent.js"
import { highestRate } from "../event/WebhookEndpoint.js"
import { atLeastItems, atMostItems } from "./Text.js"

const wholeNumber = (minimum: number, maximum: number) =>
  Schema.Finite.check(
    Schema.makeFilter((value: number) => Number.isInteger(value) && value >= minimum && value <= maximum, {
      expected: `a whole number from ${minimum} to ${maximum}`,
      code: "out_of_range",
      toJsonSchema: () => ({ type: "integer", minimum, maximum })
    })
  )

export const Topics = Schema.Array(Topic).check(atLeastItems(1), atMostItems(topics.length))

/** Maximum number of deliveries to an endpoint that may start within any second: 1 to `highestRate`. */
export const DeliveryRate = wholeNumber(1, highestRate)

/**
 * Maximum number of seconds for which the replaced webhook secret or API key stays valid after a rotation: 0 to 604,800
 * (7 days). Use 0 if it leaked.
 */
export const OverlapSeconds = wholeNumber(0, 604_800)
