/** The ids and key with which the driver calls a server. */
export interface Seed {
  readonly key: string
  readonly transactionId: string
  readonly serviceId: string
}

/** A server's CPU time in microseconds since the previous report, and its peak resident bytes since it started. */
export interface Usage {
  readonly user: number
  readonly system: number
  readonly peakBytes: number
}

/** Reports usage on every message from the driver, and exits when the driver disconnects. */
export const answerMeasurements = (): void => {
  let before = process.cpuUsage()
  process.on("message", () => {
    const usage: Usage = { ...process.cpuUsage(before), peakBytes: process.resourceUsage().maxRSS * 1024 }
    before = process.cpuUsage()
    process.send?.(usage)
  })
  process.on("disconnect", () => process.exit())
}
