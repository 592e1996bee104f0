/**
 * Runs the work and answers for how many milliseconds this thread was at it. The time in which a busy machine did
 * something else is not counted.
 */
export const workedMillis = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
