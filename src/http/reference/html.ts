/** The reference as one page that loads nothing else. */
import { createHash } from 'node:crypto'
import type { Field } from './fields.ts'
import type { Reference, ReferenceOperation } from './model.ts'
import { STYLE } from './style.ts'
import { GUIDES, SIGNATURE_CODE, SIGNATURE_GUIDE } from './texts.ts'

/** Nothing may be loaded or run but the page's own style. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Renders the whole reference. */
export function renderHtml(reference: Reference): string {
  const { title, introduction, tags, headers, errors } = reference
  const main = [
    `<h1>${escapeHtml(title)}</h1>${paragraphs(introduction)}`,
    `<p class="links"><a href="/openapi/stablecoin-partner-v1.json">OpenAPI 3.1</a> <a href="/docs.md">Markdown</a></p>`,
    ...GUIDES.map((guide) => {
      const code = guide.code === undefined ? '' : codeBlock(guide.code)
      return section(guide.id, guide.title, guide.paragraphs.map(paragraphs).join('') + code)
    }),
    ...tags.map((tag) => {
      return section(anchor(tag.name), tag.name, paragraphs(tag.description) + tag.operations.map(operation).join(''))
    }),
    section('webhooks', 'Webhooks', webhooks(reference)),
    section(
      'headers',
      'Response headers',
      table(
        ['Header', 'Meaning'],
        headers.map((one) => [code(one.name), inline(one.description)]),
      ),
    ),
    section(
      'errors',
      'Errors',
      table(
        ['Code', 'HTTP', 'Message'],
        errors.map((one) => [code(one.code), String(one.status), inline(one.message)]),
      ),
    ),
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><nav aria-label="Contents">${navigation(reference)}</nav><main>${main.join('\n')}</main></body></html>
`
}

function navigation({ title, tags }: Reference): string {
  const link = (id: string, text: string) => `<a href="#${escapeHtml(id)}">${text}</a>`
  const operations = tags.map(({ name, operations: listed }) => {
    const links = listed.map(({ id, method, summary }) => link(id, `${methodBadge(method)} ${escapeHtml(summary)}`))
    return `<p>${escapeHtml(name)}</p>${links.join('')}`
  })
  const guides = GUIDES.map(({ id, title: text }) => link(id, escapeHtml(text))).join('')
  const rest = [link('webhooks', 'Webhooks'), link('headers', 'Response headers'), link('errors', 'Errors')].join('')
  // On a phone the list stays folded until it is asked for; a check box does what would otherwise need a script.
  return `<strong>${escapeHtml(title)}</strong><input type="checkbox" id="contents"><label for="contents">Contents</label>
<div><p>Guide</p>${guides}${operations.join('')}<p>More</p>${rest}</div>`
}

function operation(one: ReferenceOperation): string {
  const { parameters, requestFields, answerFields, answers, errors } = one
  const parameterRows = parameters.map(({ name, place, type, required, description }) => {
    return [code(name), place, escapeHtml(type), required ? 'required' : 'optional', inline(description)]
  })
  const answerBlocks = answers.map(({ name, example }) => {
    const label = answers.length === 1 ? '' : `<p class="label">${escapeHtml(name)}</p>`
    return label + codeBlock(JSON.stringify(example, null, 2))
  })
  const errorItems = errors.map(({ status, code: name, message, example }) => {
    const summary = `<summary><b>${escapeHtml(status)}</b> ${code(name)} ${inline(message)}</summary>`
    return `<details>${summary}${codeBlock(JSON.stringify(example, null, 2))}</details>`
  })
  return `<article id="${escapeHtml(one.id)}">
<h3>${methodBadge(one.method)} <code>${escapeHtml(one.path)}</code></h3>
<p class="summary">${inline(one.summary)}</p>${paragraphs(one.description)}
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${table(['Name', 'In', 'Type', '', 'Notes'], parameterRows)}`}
${requestFields.length === 0 ? '' : `<h4>Body</h4>${fieldTable(requestFields)}`}
<h4>Request</h4>${codeBlock(one.curl)}
<h4>Answer ${escapeHtml(one.successStatus)}</h4>${paragraphs(one.successDescription)}${answerBlocks.join('')}
${answerFields.length === 0 ? '' : `<details><summary>Fields of the answer</summary>${fieldTable(answerFields)}</details>`}
<h4>Errors</h4>${errorItems.join('')}
</article>`
}

function webhooks({ event }: Reference): string {
  const types = event.types.map(code).join(' ')
  const steps = SIGNATURE_GUIDE.map((step) => `<li>${inline(step)}</li>`).join('')
  return `${paragraphs(event.description)}<p>${types}</p>${fieldTable(event.fields)}
<h4>Example</h4>${codeBlock(JSON.stringify(event.example, null, 2))}<h4>Verify every delivery</h4><ol>${steps}</ol>${codeBlock(SIGNATURE_CODE)}`
}

function section(id: string, title: string, content: string): string {
  return `<section id="${escapeHtml(id)}"><h2>${escapeHtml(title)}</h2>${content}</section>`
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(({ name, type, required, description }) => {
    return [code(name), escapeHtml(type), required ? 'required' : 'optional', inline(description)]
  })
  return table(['Field', 'Type', '', 'Notes'], rows)
}

/** Cells are HTML already. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')
  return `<div class="table"><table><thead><tr>${cells('th', head)}</tr></thead><tbody>${body}</tbody></table></div>`
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((part) => `<p>${inline(part)}</p>`)
    .join('')
}

/** Text with `code` in backticks. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}

function codeBlock(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>`
}

function methodBadge(method: string): string {
  return `<span class="method ${escapeHtml(method.toLowerCase())}">${escapeHtml(method)}</span>`
}

function anchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** Makes text safe anywhere in the page, attributes included. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
