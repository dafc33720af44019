/** The page of a topic of the API: each operation with its fields, its samples and what it refuses. */

import { escapeHtml } from '../../values/html.ts'
import { codeBlock } from './code.ts'
import type { Field } from './fields.ts'
import { topicMarkdown } from './markdown.ts'
import type { Reference, ReferenceOperation } from './model.ts'
import { heading, type Page, type Section, tableOf } from './page.ts'
import { samplesOf } from './prose.ts'

type Topic = Reference['tags'][number]

export const ERRORS_PATH = '/docs/errors'

/** Where an operation is described. */
export function pathOfTopic(tag: string): string {
  return `/docs/api/${tag.toLowerCase()}`
}

/**
 * Makes the page of a topic.
 * @param inline text with `code` as HTML
 */
export function topicPage(topic: Topic, inline: (text: string) => string): Page {
  const { name, description, operations } = topic
  return {
    path: pathOfTopic(name),
    group: 'API',
    title: name,
    summary: description,
    body: operations.map((one) => article(one, inline)).join('\n'),
    sections: operations.flatMap(sectionsOf),
    markdown: topicMarkdown(topic),
  }
}

function sectionsOf(one: ReferenceOperation): Section[] {
  const fields = [...one.parameters, ...one.requestFields, ...one.answerFields].map(({ name }) => name)
  const codes = one.errors.map(({ code }) => code)
  return [
    {
      id: one.id,
      title: `${one.method} ${one.path}`,
      text: [one.summary, one.description, ...new Set(fields), ...codes].join(' '),
      isListed: true,
    },
  ]
}

function article(one: ReferenceOperation, inline: (text: string) => string): string {
  const title = `<span class="method ${one.method.toLowerCase()}">${one.method}</span> <code>${escapeHtml(one.path)}</code>`
  const about = [
    `<p class="summary">${inline(one.summary)}</p>`,
    ...one.description.split('\n\n').map((part) => `<p>${inline(part)}</p>`),
    fieldsOf('Parameters', `${one.id}.`, one.parameters, inline),
    fieldsOf('Body', `${one.id}.`, one.requestFields, inline),
    folded('Fields of the answer', fieldsOf('', `${one.id}.answer.`, one.answerFields, inline)),
    folded(`Errors (${one.errors.length})`, errorsOf(one, inline)),
  ]
  const answers = one.answers.map(({ name, example }) => {
    const label = one.answers.length === 1 ? '' : `: ${escapeHtml(name)}`
    return `<p class="label">Answer ${escapeHtml(one.successStatus)}${label}</p><div class="code">${codeBlock(JSON.stringify(example, null, 2), 'json')}</div>`
  })
  return `<article class="operation" ${attributesOf(one)}>
${heading(2, one.id, title)}
<div class="columns"><div class="about">${about.join('\n')}</div>
<div class="aside">${samplesOf(one.samples)}${answers.join('')}</div></div></article>`
}

/** What trying it out needs. */
function attributesOf({ id, method, path, request }: ReferenceOperation): string {
  const body = request === undefined ? '' : ` data-body="${escapeHtml(JSON.stringify(request))}"`
  return `data-operation="${escapeHtml(id)}" data-method="${method}" data-path="${escapeHtml(path)}"${body}`
}

function folded(summary: string, content: string): string {
  return content === '' ? '' : `<details><summary>${summary}</summary>${content}</details>`
}

/** Each field can be linked to: `#createMint.amountMyr`, `#createMint.answer.amounts.coin`. */
function fieldsOf(
  title: string,
  prefix: string,
  fields: readonly (Field & { place?: string })[],
  inline: (text: string) => string,
): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, type, required, description, place }) => {
    const id = prefix + name
    const link = `<a class="name" href="#${escapeHtml(id)}"><code>${escapeHtml(name)}</code></a>`
    const marks = [escapeHtml(type), place === undefined ? '' : `in the ${place}`, required ? '' : 'optional']
    return `<dt id="${escapeHtml(id)}">${link} <span class="type">${marks.filter((mark) => mark !== '').join(' · ')}</span></dt><dd>${inline(description)}</dd>`
  })
  return `${title === '' ? '' : `<h3>${title}</h3>`}<dl class="fields">${rows.join('')}</dl>`
}

function errorsOf({ errors }: ReferenceOperation, inline: (text: string) => string): string {
  const rows = errors.map(({ status, code, message }) => {
    const link = `<a href="${ERRORS_PATH}#${code}"><code>${code}</code></a>`
    return { cells: [escapeHtml(status), link, inline(message)] }
  })
  return tableOf(['HTTP', 'Code', 'Message'], rows)
}
