import { createServer } from "node:http"
import { getRequestListener } from "@hono/node-server"
import express from "express"
import { Hono } from "hono"
import { afterAll, assert, describe, it } from "vitest"
import { makeSurety } from "../Shop.js"
import { nodeServer } from "./Mount.js"

const apps = {
  "Express's app.use(prefix, …)": async (basePath: string) => {
    const surety = await makeSurety({ basePath })
    return createServer(express().use("/shop/pay", surety.nodeHandler))
  },
  "a router in a router of Express": async (basePath: string) => {
    const surety = await makeSurety({ basePath })
    return createServer(express().use("/shop", express.Router().use("/pay", surety.nodeHandler)))
  },
  "Hono's app.mount": async (basePath: string) => {
    const surety = await makeSurety({ basePath })
    const app = new Hono().mount("/shop/pay", surety.handler, basePath === "" ? {} : { replaceRequest: false })
    return createServer(getRequestListener(app.fetch))
  }
}

describe.each(Object.entries(apps))("%s", (_, makeApp) => {
  it.each([
    ["the prefix as base path", "/shop/pay"],
    ["no base path", ""]
  ])("works with %s", async (_how, basePath) => {
    const server = nodeServer(await makeApp(basePath))
    const url = await server.listen()
    afterAll(() => server.close())
    const answer = await fetch(`${url}/shop/pay/v1/whoami?x=1`, { headers: { connection: "close" } })
    const problem = await answer.json()
    assert.deepInclude(problem, { status: 401, code: "missing_api_key" })
  })
})
