/** Measures the CPU time of this thread while `work` runs, in milliseconds. Excludes other load on the machine. */
export const workedMillis = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
