import type { Run } from "./Call.js"
import { apiKeys } from "./facade/apiKeys.js"
import { consumers } from "./facade/consumers.js"
import { events } from "./facade/events.js"
import { ledger } from "./facade/ledger.js"
import { merchants } from "./facade/merchants.js"
import { payments } from "./facade/payments.js"
import { refunds } from "./facade/refunds.js"
import { webhooks } from "./facade/webhooks.js"

/** Every call, over whatever runs them. */
export const calls = (run: Run) => ({
  merchants: merchants(run),
  apiKeys: apiKeys(run),
  webhooks: webhooks(run),
  consumers: consumers(run),
  payments: payments(run),
  refunds: refunds(run),
  events: events(run),
  ledger: ledger(run)
})

/** What can be asked of Surety, in promises. Each call takes one object of plain values and answers an `Outcome`. */
export type Calls = ReturnType<typeof calls>
