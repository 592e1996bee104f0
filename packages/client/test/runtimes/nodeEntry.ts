import * as client from "@surety/client"
import { exercise } from "./exercise.js"

const surroundings = JSON.parse(process.argv[2] ?? "{}")

void exercise(client, surroundings).then((report) => process.stdout.write(JSON.stringify(report)))
