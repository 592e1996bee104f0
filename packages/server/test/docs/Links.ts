import { existsSync } from "node:fs"
import path from "node:path"
import { root, textOf } from "./Fence.js"

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const anchorsOf = (page: string): ReadonlyArray<string> =>
  Array.from(textOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => anchorOf(heading))

const withoutCode = (page: string): string => textOf(page).replaceAll(/^ *```.*?^ *```$/gms, "")

const isBroken = (page: string, link: string): boolean => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file)
  if (!existsSync(path.join(root, target))) return true
  return anchor !== undefined && !anchorsOf(target).includes(anchor)
}

/** Returns the page's relative links to missing files and headings, each prefixed with the page's path. */
export const brokenLinks = (page: string): ReadonlyArray<string> =>
  Array.from(withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link) && isBroken(page, link))
    .map((link) => `${page}: ${link}`)

/** Returns the file names of the `pages` that the folder's README does not link to. */
export const missingInIndex = (folder: string, pages: ReadonlyArray<string>): ReadonlyArray<string> => {
  const index = textOf(`${folder}/README.md`)
  return pages
    .map((page) => path.posix.basename(page))
    .filter((file) => file !== "README.md" && !index.includes(`](${file})`))
}
