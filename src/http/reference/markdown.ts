/** The reference as plain Markdown, for tools. */
import type { Field } from './fields.ts'
import type { Reference, ReferenceOperation } from './model.ts'

type Topic = Reference['tags'][number]

/** The operations of a topic. */
export function topicMarkdown({ name, description, operations }: Topic): string {
  return `${[`# ${name}`, description, ...operations.flatMap(operationParts)].join('\n\n')}\n`
}

/** What every answer carries. */
export function headersMarkdown({ headers }: Reference): string {
  const rows = headers.map(({ name, description }) => [`\`${name}\``, description])
  return table(['Header', 'Meaning'], rows)
}

/** The fields and the example of an event, as a webhook carries it. */
export function eventMarkdown({ event }: Reference): string {
  return [
    event.description,
    `Types: ${event.types.map((type) => `\`${type}\``).join(', ')}.`,
    fieldTable(event.fields),
    fenced(JSON.stringify(event.example, null, 2), 'json'),
  ].join('\n\n')
}

const CODE_OR_LINK = /^```.*?^```$|`[^`]*`|\[(?<label>(?:[^\]`]|`[^`]*`)+)\]\((?<href>[^)\s]+)\)/gms
const PAGE = /^\/docs\/[^#]+/

/**
 * A document with its links as they lead on from wherever its Markdown is read, by itself or in one file with all others: in the repository they
 * name files beside it.
 * @param addressOf where the site has what a link names; undefined: it has it not, and the words stay
 */
export function withLinks(markdown: string, addressOf: (href: string) => string | undefined): string {
  return markdown.replace(CODE_OR_LINK, (whole: string, ...rest: unknown[]) => {
    const { label, href } = rest.at(-1) as Record<'label' | 'href', string | undefined>
    if (label === undefined || href === undefined) return whole
    const address = addressOf(href)
    return address === undefined ? label : `[${label}](${address.replace(PAGE, (page) => `${page}.md`)})`
  })
}

function operationParts(operation: ReferenceOperation): string[] {
  const { parameters, requestFields, answerFields, answers, errors } = operation
  return [
    `## ${operation.method} ${operation.path}`,
    `**${operation.summary}.** ${operation.description}`,
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['Parameter', 'In', 'Type', 'Required', 'Notes'],
            parameters.map((one) => [
              `\`${one.name}\``,
              one.place,
              one.type,
              one.required ? 'yes' : 'no',
              one.description,
            ]),
          ),
        ]),
    ...(requestFields.length === 0 ? [] : ['Body:', fieldTable(requestFields)]),
    ...operation.samples.map(({ code, language }) => fenced(code, language)),
    `${operation.successStatus}: ${operation.successDescription}`,
    ...(answerFields.length === 0 ? [] : [fieldTable(answerFields)]),
    ...answers.map(({ example }) => fenced(JSON.stringify(example, null, 2), 'json')),
    'Errors:',
    ...errors.map(({ status, code, message, example }) => {
      return `${status} \`${code}\`: ${message}\n\n${fenced(JSON.stringify(example), 'json')}`
    }),
  ]
}

function fieldTable(fields: readonly Field[]): string {
  return table(
    ['Field', 'Type', 'Required', 'Notes'],
    fields.map(({ name, type, required, description }) => [`\`${name}\``, type, required ? 'yes' : 'no', description]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function fenced(code: string, language: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}
