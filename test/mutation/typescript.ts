/** Faults of TypeScript. Those that the type checker refuses are sorted out later, so the operators may be generous. */
import { type Node, parseTypeScript, textsOf, walk } from '../support/typescript-source.ts'
import type { Edit } from './mutant.ts'
import { sqlEdits } from './sql.ts'
import { callEdits, literalEdits } from './typescript-values.ts'

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
}
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
}

/** All edits of a file, those of the SQL in it included. */
export function typeScriptEdits(source: string): Edit[] {
  const root = parseTypeScript(source)
  const edits = textsOf(source, root)
    .filter(({ ancestors }) => !ancestors.some((node) => isBesideThePoint(node, source)))
    .flatMap(sqlEdits)
  walk(root, (node, ancestors) => {
    if (isBesideThePoint(node, source)) return false
    edits.push(...editsOf(node, ancestors, source))
    return undefined
  })
  return edits
}

/** Whether a node is beside the point: types, imports, and texts for people in logs and errors. */
function isBesideThePoint(node: Node, source: string): boolean {
  if (/^(Import|TSType|TSInterface|TSEnum|TSDeclare)/.test(node.type)) return true
  if (node.type === 'CallExpression')
    return /^(\w+\.)*(logger|log|console)\??\./.test(source.slice(node.start, node.end))
  return node.type === 'NewExpression' && /Error$/.test(source.slice(node.callee.start, node.callee.end))
}

function editsOf(node: Node, ancestors: readonly Node[], source: string): Edit[] {
  switch (node.type) {
    case 'IfStatement':
      return [...conditionEdits(node.test, source), ...guardEdits(node)]
    case 'WhileStatement':
    case 'DoWhileStatement':
      return conditionEdits(node.test, source)
    case 'ConditionalExpression':
      return ternaryEdits(node, source)
    case 'LogicalExpression':
      return operandEdits(node, source)
    case 'BinaryExpression':
      return operatorEdits(node, source)
    case 'AssignmentExpression':
      return operatorEdits(node, source).filter(() => node.operator !== '=')
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-'
        ? [replace('ts-unary', node, text(node.argument, source))]
        : []
    case 'UpdateExpression':
      return [replace('ts-arithmetic', node, swapUpdate(text(node, source)))]
    case 'ExpressionStatement':
      return isEffect(node.expression) && !isBesideThePoint(node.expression, source) && !isWholeIf(ancestors)
        ? [replace('ts-drop-statement', node, ';')]
        : []
    case 'ReturnStatement':
      return returnEdits(node, ancestors, source)
    case 'Literal':
      return literalEdits(node, ancestors, source)
    case 'CallExpression':
      return callEdits(node, source)
    default:
      return []
  }
}

/** `if (c)` → `if (!(c))`, unless another operator already inverts the condition. */
function conditionEdits(test: Node, source: string): Edit[] {
  const turnedElsewhere = ['BinaryExpression', 'LogicalExpression', 'UnaryExpression'].includes(test.type)
  return turnedElsewhere ? [] : [replace('ts-negate', test, `!(${text(test, source)})`)]
}

/** Leaves out an `if` that has no `else`. */
function guardEdits(node: Node): Edit[] {
  return node.alternate === null ? [replace('ts-drop-if', node, ';')] : []
}

function ternaryEdits(node: Node, source: string): Edit[] {
  const turnedElsewhere = node.test.type === 'BinaryExpression' && ['===', '!=='].includes(node.test.operator)
  if (turnedElsewhere) return []
  const swapped = `${text(node.test, source)} ? ${text(node.alternate, source)} : ${text(node.consequent, source)}`
  return [replace('ts-swap-branches', node, swapped)]
}

/** `a && b` → `a`, `b`. A test that notices both would also notice `a || b`. */
function operandEdits(node: Node, source: string): Edit[] {
  // A parameter that is undefined is null for the database.
  if (node.operator === '??' && ['null', 'undefined'].includes(text(node.right, source))) return []
  return [replace('ts-operand', node, text(node.left, source)), replace('ts-operand', node, text(node.right, source))]
}

function operatorEdits(node: Node, source: string): Edit[] {
  const { operator, left, right } = node as unknown as { operator: string; left: Node; right: Node }
  const start = source.indexOf(operator, left.end)
  const edit = (name: string, replacement: string): Edit => ({
    operator: name,
    start,
    end: start + operator.length,
    replacement,
  })
  const isText = [left, right].some(
    ({ type, value }) => type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string'),
  )
  const arithmetic = ARITHMETIC[operator]
  if (arithmetic !== undefined && !isText) return [edit('ts-arithmetic', arithmetic)]
  return (COMPARISONS[operator] ?? []).map((replacement) => edit('ts-comparison', replacement))
}

function swapUpdate(update: string): string {
  return update.includes('++') ? update.replace('++', '--') : update.replace('--', '++')
}

function isEffect(expression: Node): boolean {
  if (expression.type === 'AwaitExpression') return isEffect(expression.argument)
  if (expression.type === 'UnaryExpression' && expression.operator === 'void') return isEffect(expression.argument)
  return ['CallExpression', 'ChainExpression', 'AssignmentExpression'].includes(expression.type)
}

/** Whether a statement is everything that an `if` does: leaving out the `if` is the same. */
function isWholeIf(ancestors: readonly Node[]): boolean {
  const parent = ancestors.at(-1)
  const isAlone = parent?.type === 'BlockStatement' && parent.body.length === 1
  const holder = isAlone ? ancestors.at(-2) : parent
  return holder?.type === 'IfStatement' && holder.alternate === null
}

/** A function that returns yes or no returns the opposite. */
function returnEdits(node: Node, ancestors: readonly Node[], source: string): Edit[] {
  if (node.argument === null || ['Literal', 'BinaryExpression', 'LogicalExpression'].includes(node.argument.type))
    return []
  const owner = ancestors.findLast(({ type }) => /Function/.test(type))
  const declared = owner?.returnType == null ? '' : text(owner.returnType, source)
  if (!/^:\s*(Promise<boolean>|boolean)$/.test(declared)) return []
  return [replace('ts-negate', node.argument, `!(${text(node.argument, source)})`)]
}

function replace(operator: string, { start, end }: Node, replacement: string): Edit {
  return { operator, start, end, replacement }
}

function text({ start, end }: Node, source: string): string {
  return source.slice(start, end)
}
