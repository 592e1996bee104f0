/** The ids and key with which the driver calls a server. */
export interface Seed {
  readonly key: string
  readonly transactionId: string
  readonly serviceId: string
}

/** A server's usage: microseconds of CPU time since the last reading, and peak resident memory. */
export interface Usage {
  readonly user: number
  readonly system: number
  readonly peakBytes: number
}

/** Reports usage whenever the driver requests it. Ends with the driver. */
export const answerMeasurements = (): void => {
  let before = process.cpuUsage()
  process.on("message", () => {
    const usage: Usage = { ...process.cpuUsage(before), peakBytes: process.resourceUsage().maxRSS * 1024 }
    before = process.cpuUsage()
    process.send?.(usage)
  })
  process.on("disconnect", () => process.exit())
}
