import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import path from "node:path"
import { filesBelow, type Package, root } from "./packages.ts"

/**
 * A build's fingerprint, and the files in `dist` at its end, except `.d.ts` files, their maps and `.tsbuildinfo` files.
 * The stamp is stored in `dist`, so deleting `dist` also deletes the stamp.
 */
interface Stamp {
  readonly fingerprint: string
  readonly outputs: ReadonlyArray<string>
}

const shared = [
  "tsup.base.ts",
  "tsup.bundled.ts",
  "tsup.published.ts",
  "tsconfig.base.json",
  "node_modules/tsup/package.json"
].map((file) => path.join(root, file))

const stampFile = ({ directory }: Package): string => path.join(directory, "dist", ".build.json")

/** Files and directories that a build reads in addition to `shared` and the package's own files, by package name. */
const further: Readonly<Record<string, ReadonlyArray<string>>> = {
  http: [
    ...["docs/merchants", "docs/errors.md", "docs/openapi.json", "scripts/guides", "scripts/guides.ts"],
    ...["sdks/python/README.md", "sdks/php/README.md", "sdks/go/README.md", "tests/sdks/interface"],
    ...["packages/client/README.md", "packages/verifier/README.md"]
  ]
}

const furtherFiles = ({ name }: Package): ReadonlyArray<string> =>
  (further[name] ?? []).flatMap((entry) => {
    const place = path.join(root, entry)
    return statSync(place).isFile() ? [place] : filesBelow(place).map((file) => path.join(place, file))
  })

const inputs = ({ directory }: Package): ReadonlyArray<string> => [
  ...["package.json", "tsup.config.ts", "tsconfig.src.json"].map((file) => path.join(directory, file)),
  ...filesBelow(path.join(directory, "src")).map((file) => path.join(directory, "src", file))
]

/**
 * Returns a hash of the files that determine a package's JavaScript, such as its sources and settings. The hash also
 * covers `dependencies`, the fingerprints of the packages that it depends on.
 */
export const fingerprint = (pkg: Package, dependencies: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const dependency of dependencies) hash.update(dependency)
  for (const file of [...shared, ...inputs(pkg), ...furtherFiles(pkg)]) {
    hash.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file))
  }
  return hash.digest("hex")
}

/**
 * Returns true if the package's `dist` was built with the fingerprint `current` and no output in its stamp is missing.
 * `.d.ts` files are not checked.
 */
export const isFresh = (pkg: Package, current: string): boolean => {
  const file = stampFile(pkg)
  if (!existsSync(file)) return false
  const stamp: Stamp = JSON.parse(readFileSync(file, "utf8"))
  return (
    stamp.fingerprint === current &&
    stamp.outputs.every((output) => existsSync(path.join(pkg.directory, "dist", output)))
  )
}

/** Removes the stamp. Runs before a build, so that an interrupted build does not count as fresh. */
export const forget = (pkg: Package): void => rmSync(stampFile(pkg), { force: true })

/** Records that the contents of `dist` were built from sources with the fingerprint `current`. */
export const remember = (pkg: Package, current: string): void => {
  const outputs = filesBelow(path.join(pkg.directory, "dist")).filter(
    (file) => !/\.(d\.ts|d\.ts\.map|tsbuildinfo)$/.test(file)
  )
  const stamp: Stamp = { fingerprint: current, outputs }
  writeFileSync(stampFile(pkg), JSON.stringify(stamp))
}
