/** The first page: what there is, and where to begin. */
import { escapeHtml } from '../../values/html.ts'
import type { Reference } from './model.ts'
import type { Group, Page } from './page.ts'

/** @param inline text with `code` as HTML */
export function overviewPage(
  { title, introduction, summary }: Reference,
  pages: readonly Page[],
  inline: (text: string) => string,
): Page {
  const cards = (group: Group) =>
    pages
      .filter((page) => page.group === group)
      .map(
        (page) =>
          `<li><a href="${page.path}"><strong>${escapeHtml(page.title)}</strong><span>${escapeHtml(page.summary)}</span></a></li>`,
      )
      .join('')
  const list = (group: Group, heading: string) =>
    `<h2 id="${group.toLowerCase()}">${heading}</h2><ul class="cards">${cards(group)}</ul>`
  const files = [
    ['OpenAPI 3.1', '/openapi/stablecoin-partner-v1.json'],
    ['Markdown, all of it', '/docs.md'],
    ['llms.txt', '/llms.txt'],
  ].map(([name, href]) => `<a href="${href}">${name}</a>`)
  return {
    path: '/docs',
    group: undefined,
    title,
    summary,
    body: [
      ...introduction.split('\n\n').map((part) => `<p class="lead">${inline(part)}</p>`),
      `<p class="base">Base address <code class="fill" data-fill="COIN_API">$COIN_API</code></p>`,
      list('Guides', 'Guides'),
      list('API', 'Every operation'),
      list('Reference', 'Look up'),
      `<p class="files">${files.join(' · ')}</p>`,
    ].join('\n'),
    sections: [],
    markdown: `# ${title}\n\n${introduction}\n`,
  }
}
