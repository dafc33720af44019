/** A page as a browser gets it: everything that it loads is named here, and comes from here. */
import { escapeHtml } from '../../values/html.ts'
import type { Group, Page } from './page.ts'

export const ASSETS = '/docs/assets/'

export type Shell = {
  /** The API's name. */
  title: string
  pages: readonly Page[]
  /** Names of the modules, so that none waits until another one was read. */
  modules: readonly string[]
  /** Whether requests can be tried out from the page. */
  isSandbox: boolean
}

const GROUPS: readonly Group[] = ['Guides', 'API', 'Reference']

/** Lays out a page. */
export function layOut(page: Page, shell: Shell): string {
  const { title, modules, isSandbox } = shell
  const name = page.title === title ? title : `${page.title} · ${title}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${ASSETS}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${ASSETS}docs.css">
<link rel="alternate" type="text/markdown" href="${page.path}.md">
${modules.map((module) => `<link rel="modulepreload" href="${ASSETS}${module}">`).join('\n')}
<script type="module" src="${ASSETS}main.ts"></script>
</head>
<body${isSandbox ? ' data-sandbox' : ''}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">${escapeHtml(title)}</a>
<div class="search" id="search"></div>
<span class="environment">${isSandbox ? 'Sandbox' : 'Live'}</span>
</header>
<nav class="side" aria-label="Contents">
<input type="checkbox" id="menu"><label class="menu" for="menu">Contents</label>
<div class="list">
${GROUPS.map((group) => groupOf(group, page, shell.pages)).join('\n')}
</div>
</nav>
<main id="content" tabindex="-1">
${page.group === undefined ? '' : `<p class="group">${page.group}</p>`}
<h1>${escapeHtml(page.title)}</h1>
${page.body}
${neighbours(page, shell.pages)}
</main>
</body>
</html>
`
}

function groupOf(group: Group, current: Page, pages: readonly Page[]): string {
  const links = pages
    .filter((page) => page.group === group)
    .map((page) => {
      const here = page.path === current.path
      const parts = here ? page.sections.filter(({ isListed }) => isListed) : []
      const inner = parts.map(({ id, title }) => `<li><a href="#${escapeHtml(id)}">${partTitle(title)}</a></li>`)
      const list = inner.length === 0 ? '' : `<ul class="parts">${inner.join('')}</ul>`
      return `<li><a href="${page.path}"${here ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a>${list}</li>`
    })
  return `<p id="group-${group.toLowerCase()}">${group}</p><ul aria-labelledby="group-${group.toLowerCase()}">${links.join('')}</ul>`
}

/** `POST /v1/mints` has its method set apart. */
function partTitle(title: string): string {
  const [, method, path] = /^(GET|POST) (\/v1\/.*)$/.exec(title) ?? []
  if (method === undefined || path === undefined) return escapeHtml(title)
  return `<span class="method ${method.toLowerCase()}">${method}</span> ${escapeHtml(path.slice('/v1'.length))}`
}

function neighbours(page: Page, pages: readonly Page[]): string {
  const at = pages.findIndex(({ path }) => path === page.path)
  const link = (to: Page | undefined, rel: string, word: string) =>
    to === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${to.path}"><small>${word}</small>${escapeHtml(to.title)}</a>`
  if (at === -1) return ''
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(pages[at - 1], 'prev', 'Before')}${link(pages[at + 1], 'next', 'Next')}</nav>`
}
