import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * Lowest port to try. All ports tried are below the default range of ephemeral ports, which on Linux starts at 32768.
 */
const least = 20_000
const end = 32_768

const tries = 100

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

/** Returns a port of 127.0.0.1 that was free a moment ago. Rejects if it finds no free port. */
export const freePort = async (): Promise<number> => {
  for (let time = 0; time < tries; time += 1) {
    const port = randomInt(least, end)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port of 127.0.0.1 was found among ${tries} from ${least} to ${end - 1}`)
}
