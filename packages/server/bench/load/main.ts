// Runs the jobs that the parent process sends. The load has its own process so that its processor time can be measured.
import { refundLoad, whoamiLoad } from "./httpLoad.ts"
import type { LoadJob, LoadResult, SystemName } from "./LoadJob.ts"
import { sqlLoad } from "./sqlLoad.ts"

/** Amount left to refund for each payment that a job has picked, by system. */
const leftMinor: Readonly<Record<SystemName, Map<string, number>>> = {
  surety: new Map(),
  peer: new Map(),
  simple: new Map()
}

const perform = (job: LoadJob): Promise<LoadResult> => {
  const { target } = job
  switch (target.kind) {
    case "whoami":
      return whoamiLoad({ ...job, target })
    case "refunds":
      return refundLoad({ ...job, target }, leftMinor[target.system])
    case "sql":
      return sqlLoad({ ...job, target }, leftMinor[target.system])
  }
}

process.on("message", (job: LoadJob) => {
  perform(job).then(
    (result) => process.send?.({ result }),
    (cause: Error) => process.send?.({ failure: cause.message })
  )
})
