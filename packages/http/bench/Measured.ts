/** What the driver needs to know of a server to ask it something. */
export interface Seed {
  readonly key: string
  readonly transactionId: string
  readonly serviceId: string
}

/** What a server has used: microseconds of processor time since it was last asked, and its most memory ever resident. */
export interface Usage {
  readonly user: number
  readonly system: number
  readonly peakBytes: number
}

/** Tells the driver, whenever it asks, what was used; ends when the driver does. */
export const answerMeasurements = (): void => {
  let before = process.cpuUsage()
  process.on("message", () => {
    const usage: Usage = { ...process.cpuUsage(before), peakBytes: process.resourceUsage().maxRSS * 1024 }
    before = process.cpuUsage()
    process.send?.(usage)
  })
  process.on("disconnect", () => process.exit())
}
