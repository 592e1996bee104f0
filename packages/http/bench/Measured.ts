/** What the driver needs to know of a server to ask it something. */
export interface Seed {
  readonly key: string
  readonly transactionId: string
}

/** Microseconds of processor time that a server has used since it was last asked. */
export interface Usage {
  readonly user: number
  readonly system: number
}

/** Tells the driver, whenever it asks, how much processor time was used since; ends when the driver does. */
export const answerMeasurements = (): void => {
  let before = process.cpuUsage()
  process.on("message", () => {
    const usage: Usage = process.cpuUsage(before)
    before = process.cpuUsage()
    process.send?.(usage)
  })
  process.on("disconnect", () => process.exit())
}
