/**
 * Runs the work and returns the CPU time that this thread uses meanwhile, in milliseconds. Other load on the machine
 * does not count.
 */
export const workedMillis = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
