import type { Surety } from "@surety/embed"
import { Hono } from "hono"
import { closedPage, questionPage, thanksPage } from "./consentPage.ts"

/** Builds the club's Hono app: Surety's routes below `/pay`, such as the merchant API, and the club's consent page. */
export const createApp = (surety: Surety) => {
  const app = new Hono()

  app.all("/pay/*", (context) => surety.handler(context.req.raw))

  app.use("/asked/*", async (context, next) => {
    await next()
    // The url's token lets its bearer decide, so it must not reach caches or other sites' logs.
    context.header("cache-control", "no-store")
    context.header("referrer-policy", "no-referrer")
  })

  app.get("/asked/:token", async (context) => {
    const question = await surety.dataRequests.byToken({ token: context.req.param("token") })
    return question.ok && question.value.status === "PENDING"
      ? context.html(questionPage(question.value))
      : context.html(closedPage(), 404)
  })

  app.post("/asked/:token", async (context) => {
    const question = await surety.dataRequests.byToken({ token: context.req.param("token") })
    if (!question.ok) return context.html(closedPage(), 404)
    const dataRequestId = question.value.id
    const form = await context.req.formData()
    const fields = form.getAll("field").map(String)
    const actor = { kind: "PERSON" } as const
    const decided =
      form.get("decision") === "approve" && fields.length > 0
        ? await surety.dataRequests.approve({ dataRequestId, fields, actor })
        : await surety.dataRequests.deny({
            ...{ dataRequestId, actor },
            reason: form.get("decision") === "not_me" ? "NOT_ME" : "DECLINED"
          })
    if (decided.ok) return context.html(thanksPage(decided.value.approvedFields ?? []))
    // For example, the request has expired or was decided in another tab.
    return context.html(closedPage(), 409)
  })

  return app
}
