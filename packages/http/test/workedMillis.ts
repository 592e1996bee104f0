/** Runs the work and returns this thread's CPU time in milliseconds, which excludes other load on a busy machine. */
export const workedMillis = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
