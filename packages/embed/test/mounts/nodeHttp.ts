import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { toNodeHandler } from "@surety/embed"
import { type Mount, nodeServer } from "./Mount.js"

export const nodeHttp: Mount = {
  framework: "node:http",
  mount: async (surety) => {
    const pay = toNodeHandler(surety)
    return nodeServer(
      createServer((request, response) =>
        pay(request, response, async () => {
          if (request.url === "/shop/orders") response.end(await text(request))
          else response.writeHead(404).end("the host's own")
        })
      )
    )
  },
  mountBehindParser: async (surety) =>
    nodeServer(
      createServer(async (request, response) => {
        await text(request)
        surety.nodeHandler(request, response)
      })
    )
}
