import type { RateLimits } from "@surety/http/access/RateLimits"
import { readsAtOnceOf } from "@surety/http/access/ReadShare"
import type { Settings } from "./settings/Settings.js"

const secondsInMinute = 60

/** Burst of the `other` limit, in seconds at its full rate. */
const otherBurstSeconds = 2

/** 0 means no limit. */
export const rateLimitsOfSettings = ({
  rateLimitOther,
  rateLimitProvisioning,
  rateLimitRefunds,
  rateLimitRefundsBurst
}: Settings): RateLimits => ({
  refunds:
    rateLimitRefunds === 0 ? undefined : { name: "refunds", perSecond: rateLimitRefunds, burst: rateLimitRefundsBurst },
  other:
    rateLimitOther === 0
      ? undefined
      : { name: "other", perSecond: rateLimitOther, burst: rateLimitOther * otherBurstSeconds },
  provisioning:
    rateLimitProvisioning === 0
      ? undefined
      : {
          name: "provisioning",
          perSecond: rateLimitProvisioning / secondsInMinute,
          burst: rateLimitProvisioning
        }
})

/**
 * Returns how many of a merchant's reads may run concurrently in this process. Undefined (unlimited) with the embedded
 * database, which has a single connection.
 */
export const readsAtOnce = ({ databaseConnections, databaseUrl }: Settings): number | undefined =>
  databaseUrl === undefined ? undefined : readsAtOnceOf(databaseConnections)
