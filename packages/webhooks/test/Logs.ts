import { Layer, Logger } from "effect"

export const collectLogs = () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => {
    lines.push(line)
  })
  return { lines, layer: Layer.orDie(Logger.layer([logger])) }
}
