import { assert, expect, it } from "@effect/vitest"
import { kycVendors } from "@surety/server/kyc/kycSetup"
import { settingTable } from "@surety/server/settings/Settings"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;")

const settings = [...Object.values(settingTable), ...kycVendors.flatMap((vendor) => vendor.settings)]

const page = `# Settings

Every setting of the standalone server is an environment variable. This page is generated from the table that the server uses to read them,
which \`npx pnpm start --help\` also shows. If a setting is invalid, the server does not start, and it names every invalid setting. An empty variable
counts as unset. A variable whose name is within two typos of a setting's name, or is that name with \`_FILE\`, is ignored, and the server and
\`surety doctor\` warn about it. In production, \`NODE_TLS_REJECT_UNAUTHORIZED=0\` is invalid too.

| variable | meaning | default |
|---|---|---|
${settings.map(({ defaultText, meaning, name }) => `| \`${name}\` | ${cell(meaning)} | ${cell(defaultText)} |`).join("\n")}
`

it("docs/platform/settings.md lists every setting as --help does", async () => {
  await expect(page).toMatchFileSnapshot("../../../../docs/platform/settings.md")
})

it("each setting has one name, one meaning and one default", () => {
  assert.strictEqual(new Set(settings.map(({ name }) => name)).size, settings.length)
  for (const { defaultText, meaning, name } of settings) assert.isTrue(meaning !== "" && defaultText !== "", name)
})
