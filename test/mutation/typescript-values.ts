/** Faults of TypeScript in what is passed and compared: constants, methods left out, options not given. */
import type { Node } from '../support/typescript-source.ts'
import type { Edit } from './mutant.ts'

/** Larger numbers are sizes and times, where one more or less makes no difference that matters. */
const LARGEST_COUNT = 50
const TUNED = /(Ms|Seconds|_MS|_SECONDS|_BYTES|_DAYS|_AT_ONCE|_LIMIT|Limit|SIZE|statusCode|status)$/

const METHODS: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
}
const LEFT_OUT = new Set(
  ['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'padStart', 'padEnd', 'trim'].concat([
    'toLowerCase',
    'toUpperCase',
    'catch',
    'unref',
    'flat',
  ]),
)

export function literalEdits(node: Node, ancestors: readonly Node[], source: string): Edit[] {
  const original = source.slice(node.start, node.end)
  const edit = (operator: string, replacement: string): Edit[] => [
    { operator, start: node.start, end: node.end, replacement },
  ]
  if (original === 'true' || original === 'false') return edit('ts-truth', original === 'true' ? 'false' : 'true')
  if (!/^\d[\d_]*n?$/.test(original) || isTuning(ancestors)) return []
  const isBigint = original.endsWith('n')
  const value = BigInt(original.replace('n', '').replaceAll('_', ''))
  if (!isBigint && value > LARGEST_COUNT) return []
  return edit('ts-constant', `${value + 1n}${isBigint ? 'n' : ''}`)
}

/** `POLL_MS = 5 * 1000`, `{ timeoutMs: 3 }`, `.statusCode === …`. */
function isTuning(ancestors: readonly Node[]): boolean {
  const holder = ancestors.findLast(({ type }) => !['BinaryExpression', 'TSAsExpression'].includes(type))
  if (holder?.type === 'VariableDeclarator') return TUNED.test(holder.id.name ?? '')
  if (holder?.type === 'Property') return TUNED.test(holder.key.name ?? '')
  return holder?.type === 'MemberExpression'
}

export function callEdits(node: Node, source: string): Edit[] {
  const { callee } = node as unknown as { callee: Node }
  return [...methodEdits(node, callee, source), ...optionEdits(node, source)]
}

function methodEdits(node: Node, callee: Node, source: string): Edit[] {
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const { start, end, name } = callee.property as Node & { name: string }
  const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (other !== undefined) return [{ operator: 'ts-method', start, end, replacement: other }]
  if (!LEFT_OUT.has(name)) return []
  const object = callee.object as Node
  return [
    {
      operator: 'ts-method',
      start: node.start,
      end: node.end,
      replacement: source.slice(object.start, object.end),
    },
  ]
}

/**
 * An option is left out: `{ redirect: 'error', signal }` → `{ signal }`. The type checker refuses it for required ones.
 */
function optionEdits(node: Node, source: string): Edit[] {
  return (node.arguments as Node[])
    .filter(({ type }) => type === 'ObjectExpression')
    .flatMap(({ properties }) => properties as Node[])
    .filter(({ type, method }) => type === 'Property' && method === false)
    .map(({ start, end }) => {
      const comma = /^\s*,\s*/.exec(source.slice(end))?.[0] ?? ''
      return { operator: 'ts-option', start, end: end + comma.length, replacement: '' }
    })
}
