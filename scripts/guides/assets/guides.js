// Script of the guides and the welcome page. The pages are readable without this script, which adds features such as
// tabs and search.
const root = document.documentElement
const { search, root: pagesRoot } = document.currentScript.dataset
root.classList.add("js")

/** Access to storage may be forbidden, so failures are ignored. */
const recall = (name) => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
const remember = (name, value) => {
  try {
    localStorage.setItem(name, value)
  } catch {}
}

const applyTheme = (theme) => {
  if (theme === "light" || theme === "dark") root.dataset.theme = theme
}
applyTheme(recall("surety-theme"))

const isDark = () =>
  getComputedStyle(root).colorScheme === "dark" ||
  (!root.dataset.theme && matchMedia("(prefers-color-scheme:dark)").matches)

const setUpTheme = () => {
  const button = document.querySelector("[data-theme-switch]")
  if (!button) return
  button.hidden = false
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark"
    applyTheme(theme)
    remember("surety-theme", theme)
  })
}

const choose = (group, language) => {
  const panels = [...group.querySelectorAll(".panel")]
  if (!panels.some((panel) => panel.dataset.language === language)) return
  for (const panel of panels) {
    const isChosen = panel.dataset.language === language
    panel.toggleAttribute("data-rest", !isChosen)
    const tab = document.getElementById(`${panel.id}-tab`)
    tab.setAttribute("aria-selected", String(isChosen))
    tab.tabIndex = isChosen ? 0 : -1
  }
}

/** Shows the language in all samples that have it, and keeps the pressed tab at its position on the screen. */
const chooseEverywhere = (language, pressed) => {
  const before = pressed.getBoundingClientRect().top
  for (const group of document.querySelectorAll("[data-tabs]")) choose(group, language)
  scrollBy({ top: pressed.getBoundingClientRect().top - before, behavior: "instant" })
  remember("surety-language", language)
}

const setUpTabs = (group) => {
  const list = group.querySelector(".tablist")
  list.setAttribute("role", "tablist")
  list.setAttribute("aria-label", "Language")
  const tabs = [...group.querySelectorAll(".panel")].map((panel) => {
    const tab = document.createElement("button")
    tab.type = "button"
    tab.id = `${panel.id}-tab`
    tab.textContent = panel.querySelector(".language").textContent
    tab.setAttribute("role", "tab")
    tab.setAttribute("aria-controls", panel.id)
    panel.setAttribute("role", "tabpanel")
    panel.setAttribute("aria-labelledby", tab.id)
    tab.addEventListener("click", () => chooseEverywhere(panel.dataset.language, tab))
    list.append(tab)
    return tab
  })
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
    if (!step) return
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length]
    next.click()
    next.focus()
  })
  choose(group, "curl")
  choose(group, recall("surety-language"))
}

const setUpCopy = (button) => {
  if (!navigator.clipboard) return
  button.hidden = false
  const label = button.textContent
  button.addEventListener("click", async () => {
    const holder = button.closest(".code, .hero")
    const code = holder.querySelector(".panel:not([data-rest]) code") ?? holder.querySelector("code")
    await navigator.clipboard.writeText(`${code.textContent.trimEnd()}${holder.matches(".code") ? "\n" : ""}`)
    button.textContent = "Copied"
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}

/** Marks the reader's position in the table of contents. */
const setUpContents = () => {
  const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [link.hash.slice(1), link]))
  if (links.size === 0) return
  const observer = new IntersectionObserver(
    (entries) => {
      const entered = entries.find(({ isIntersecting }) => isIntersecting)
      if (!entered) return
      for (const link of links.values()) link.classList.toggle("here", link === links.get(entered.target.id))
    },
    { rootMargin: "-70px 0px -70% 0px" }
  )
  for (const id of links.keys()) {
    const heading = document.getElementById(id)
    if (heading) observer.observe(heading)
  }
}

const pageUrl = (slug) => (slug === "" ? (pagesRoot === "" ? "../docs" : "docs") : `${pagesRoot}${slug}`)

const makeDialog = () => {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-label", "Search the guides")
  dialog.innerHTML =
    '<form method="dialog"><svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/></svg><input type="search" aria-label="Search" placeholder="Search the guides" autocomplete="off" spellcheck="false"><kbd>Esc</kbd></form><p class="said" role="status">Type what you look for.</p><ul class="found"></ul>'
  document.body.append(dialog)
  return dialog
}

const setUpSearch = () => {
  const opener = document.querySelector("[data-search-open]")
  if (!opener || !search) return
  opener.hidden = false
  let dialog
  let loaded
  const show = async () => {
    const input = dialog.querySelector("input")
    const query = input.value.trim()
    const { find } = await loaded
    if (query !== input.value.trim()) return
    const hits = query === "" ? [] : find(query)
    const said = dialog.querySelector(".said")
    said.textContent =
      query === "" ? "Type what you look for." : hits.length === 0 ? `Nothing found for “${query}”.` : ""
    said.hidden = said.textContent === ""
    const items = hits.map(({ anchor, excerpt, heading, slug, title }) => {
      const item = document.createElement("li")
      const link = document.createElement("a")
      const name = document.createElement("b")
      const about = document.createElement("span")
      link.href = `${pageUrl(slug)}${anchor === "" ? "" : `#${anchor}`}`
      name.textContent = heading === title ? title : `${title} › ${heading}`
      about.textContent = excerpt
      link.append(name, about)
      link.addEventListener("click", () => dialog.close())
      item.append(link)
      return item
    })
    dialog.querySelector(".found").replaceChildren(...items)
  }
  const open = () => {
    if (!dialog) {
      dialog = makeDialog()
      loaded = import(new URL(search, document.baseURI).href)
      dialog.addEventListener("input", show)
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close())
      dialog.querySelector("form").addEventListener("submit", (event) => {
        event.preventDefault()
        dialog.querySelector(".found a")?.click()
      })
      dialog.addEventListener("keydown", (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (!step) return
        event.preventDefault()
        const places = [dialog.querySelector("input"), ...dialog.querySelectorAll(".found a")]
        places[Math.max(0, Math.min(places.length - 1, places.indexOf(document.activeElement) + step))].focus()
      })
    }
    if (!dialog.open) dialog.showModal()
    dialog.querySelector("input").select()
  }
  opener.addEventListener("click", open)
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, [contenteditable]")
    const isShortcut = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))
    if (!isShortcut) return
    event.preventDefault()
    open()
  })
}

addEventListener("DOMContentLoaded", () => {
  setUpTheme()
  for (const group of document.querySelectorAll("[data-tabs]")) setUpTabs(group)
  for (const button of document.querySelectorAll(".copy")) setUpCopy(button)
  setUpContents()
  setUpSearch()
})
