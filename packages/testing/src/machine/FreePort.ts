import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * Below the ports that systems give out by themselves (Linux from 32768 on, others from 49152 on), so that nobody is
 * given the port by chance between the look and the use.
 */
const least = 20_000
const end = 32_768

const tries = 100

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

/** A port of 127.0.0.1 that was free a moment ago, for programs that must be told theirs. Rejects where none is found. */
export const freePort = async (): Promise<number> => {
  for (let time = 0; time < tries; time += 1) {
    const port = randomInt(least, end)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port of 127.0.0.1 was found among ${tries} from ${least} to ${end - 1}`)
}
