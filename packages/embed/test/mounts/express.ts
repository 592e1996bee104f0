import { createServer } from "node:http"
import express from "express"
import { type Mount, nodeServer, prefix } from "./Mount.js"

export const express5: Mount = {
  framework: "Express 5",
  mount: async (surety) => {
    const app = express()
    app.use(surety.nodeHandler)
    app.use(express.json())
    app.post("/shop/orders", (request, response) => {
      response.json(request.body)
    })
    return nodeServer(createServer(app))
  },
  mountBehindParser: async (surety) => {
    const app = express()
    app.use(express.json())
    app.use(prefix, surety.nodeHandler)
    return nodeServer(createServer(app))
  }
}
