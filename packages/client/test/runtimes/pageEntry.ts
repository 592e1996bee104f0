import { createClient } from "@surety/client"

const refused = (() => {
  try {
    createClient({ apiKey: "sk_test_1", baseUrl: "https://pay.example" })
    return "a client was made"
  } catch (error) {
    return String(error)
  }
})()

void fetch("/report", { method: "POST", body: JSON.stringify({ refused }) })
