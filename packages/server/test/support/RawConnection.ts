import { connect } from "node:net"

/** Text received on a connection until it ended or failed, the time was up, or `until` returned true. */
export interface RawAnswer {
  readonly text: string
  /** True if the connection ended or failed. False if this client stopped reading. */
  readonly isClosed: boolean
}

/**
 * Sends raw bytes to a server and reads its response for up to `withinMillis`. Also resolves if the connection fails.
 */
export const exchangeBytes = (
  serverUrl: string,
  bytes: string | Uint8Array,
  {
    endsWrite = false,
    withinMillis = 5_000,
    until
  }: {
    /** If true, half-closes the connection after sending the bytes. */
    readonly endsWrite?: boolean
    readonly withinMillis?: number
    /** Stops reading once this function returns true for the text received so far. */
    readonly until?: (text: string) => boolean
  } = {}
): Promise<RawAnswer> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(serverUrl)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let text = ""
    const finish = (isClosed: boolean) => {
      clearTimeout(late)
      socket.destroy()
      resolve({ text, isClosed })
    }
    const late = setTimeout(() => finish(false), withinMillis)
    socket.on("data", (chunk) => {
      text += chunk
      if (until?.(text) === true) finish(false)
    })
    socket.on("end", () => finish(true))
    socket.on("error", () => finish(true))
    socket.write(bytes)
    if (endsWrite) socket.end()
  })

/** Returns the status of a raw response. Undefined if the text does not start with a status line. */
export const statusOf = ({ text }: RawAnswer): number | undefined => {
  const status = /^HTTP\/1\.[01] (\d{3}) /.exec(text)?.[1]
  return status === undefined ? undefined : Number(status)
}
