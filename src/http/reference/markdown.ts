/** The reference as plain Markdown, for tools. */
import type { Field } from './fields.ts'
import type { Reference, ReferenceOperation } from './model.ts'
import { GUIDES, SIGNATURE_CODE, SIGNATURE_GUIDE } from './texts.ts'

/** Renders the whole reference. */
export function renderMarkdown(reference: Reference): string {
  const parts = [
    `# ${reference.title}`,
    reference.introduction,
    ...GUIDES.flatMap(({ title, paragraphs, code }) => [
      `## ${title}`,
      ...paragraphs,
      ...(code === undefined ? [] : [fenced(code, 'sh')]),
    ]),
    ...reference.tags.flatMap(({ name, description, operations }) => [
      `## ${name}`,
      description,
      ...operations.flatMap(operationParts),
    ]),
    ...eventParts(reference),
    '## Response headers',
    table(
      ['Header', 'Meaning'],
      reference.headers.map(({ name, description }) => [`\`${name}\``, description]),
    ),
    '## Errors',
    table(
      ['Code', 'HTTP', 'Message'],
      reference.errors.map(({ code, status, message }) => [`\`${code}\``, String(status), message]),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

function operationParts(operation: ReferenceOperation): string[] {
  const { parameters, requestFields, answerFields, answers, errors } = operation
  return [
    `### ${operation.method} ${operation.path}`,
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
    fenced(operation.curl, 'sh'),
    `${operation.successStatus}: ${operation.successDescription}`,
    ...(answerFields.length === 0 ? [] : [fieldTable(answerFields)]),
    ...answers.map(({ example }) => fenced(JSON.stringify(example, null, 2), 'json')),
    'Errors:',
    ...errors.map(({ status, code, message, example }) => {
      return `${status} \`${code}\`: ${message}\n\n${fenced(JSON.stringify(example), 'json')}`
    }),
  ]
}

function eventParts({ event }: Reference): string[] {
  return [
    '## Webhooks',
    event.description,
    `Types: ${event.types.map((type) => `\`${type}\``).join(', ')}.`,
    fieldTable(event.fields),
    fenced(JSON.stringify(event.example, null, 2), 'json'),
    'Verify every delivery:',
    SIGNATURE_GUIDE.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    fenced(SIGNATURE_CODE, 'js'),
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
