import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { CommandFailed } from "../../src/cli/Terminal.js"
import { platformAt } from "../../src/cli/trigger/Platform.js"

it("a response whose connection ends in the middle is a failed command, like none at all", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-length": 100 })
    response.write("{")
    setImmediate(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const platform = platformAt(`http://127.0.0.1:${port}`, undefined)
  await expect(platform.send("POST", "/merchants", {})).rejects.toThrow(CommandFailed)
  await new Promise((resolve) => server.close(resolve))
  await expect(platform.send("POST", "/merchants", {})).rejects.toThrow(CommandFailed)
})

it("stops reading a response that does not end", async () => {
  let isClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve
  })
  const server = createServer((_, response) => {
    const more = () => {
      while (response.write("x".repeat(16 * 1024)));
    }
    response.writeHead(200).on("drain", more).on("close", isClosed)
    more()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  expect(await platformAt(`http://127.0.0.1:${port}`, undefined).send("POST", "/merchants")).toBeUndefined()
  await closed
  await new Promise((resolve) => server.close(resolve))
})
