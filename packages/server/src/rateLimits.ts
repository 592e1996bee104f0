import type { RateLimits } from "@surety/http/access/RateLimits"
import { readsAtOnceOf } from "@surety/http/access/ReadShare"
import type { Settings } from "./settings/Settings.js"

const secondsInMinute = 60

/** How many seconds' worth of other requests may come at once. */
const otherBurstSeconds = 2

/** The limits that the settings name; 0 is none. */
export const rateLimitsOf = ({
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

/** How many reads of one merchant use the database at once. The embedded one has a single connection, used in turns. */
export const readsAtOnce = ({ databaseConnections, databaseUrl }: Settings): number | undefined =>
  databaseUrl === undefined ? undefined : readsAtOnceOf(databaseConnections)
