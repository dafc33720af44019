/** The documentation for language models: a list of its pages (llmstxt.org), and all of it in one file. */
import type { Group } from './page.ts'
import type { Site } from './site.ts'

/** `/llms.txt`. @param origin of the addresses in it */
export function llmsText({ title, summary, pages }: Site, origin: string): string {
  const list = (group: Group) =>
    pages
      .filter((page) => page.group === group)
      .map((page) => `- [${page.title}](${origin}${page.path}.md): ${page.summary}`)
      .join('\n')
  return `# ${title}

> ${summary}

Base address: ${origin}/v1

## Guides

${list('Guides')}

## API

- [OpenAPI 3.1](${origin}/openapi/stablecoin-partner-v1.json): every operation, as a machine reads it
${list('API')}

## Reference

${list('Reference')}

## Optional

- [Everything in one file](${origin}/docs.md): all of these pages
`
}

/** `/docs.md`: every page, one after the other. */
export function wholeMarkdown({ overview, pages }: Site): string {
  return `${[overview, ...pages].map(({ markdown }) => markdown.trimEnd()).join('\n\n')}\n`
}
