import { Layer, Logger } from "effect"

/** Makes a layer that collects log lines instead of printing them. */
export const collectLogs = () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => {
    lines.push(line)
  })
  return { lines, layer: Layer.orDie(Logger.layer([logger])) }
}
