import * as client from "@surety/client"
import { exercise, type Surroundings } from "./exercise.js"

const answer = async (request: Request): Promise<Response> => {
  const surroundings: Surroundings = JSON.parse(await request.text())
  const crash = (error: unknown) => ({ done: [], crashed: String(error) })
  return Response.json(await exercise(client, surroundings).catch(crash))
}

// biome-ignore lint/style/noDefaultExport: a worker exports its handlers as default
export default { fetch: answer }
