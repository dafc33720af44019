/** Faults of Solidity, found in the compiler's own syntax tree. */
import { type SolidityNode as Node, parseSolidity, walkSolidity } from '../support/solidity-source.ts'
import type { Edit } from './mutant.ts'

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
}
/** Of assembly. */
const FUNCTIONS: Readonly<Record<string, string>> = { add: 'sub', sub: 'add', shr: 'shl', shl: 'shr' }
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '<<': '>>',
  '>>': '<<',
  '+=': '-=',
  '-=': '+=',
  '|': '&',
  '&': '|',
  '|=': '&=',
  '&=': '|=',
}

/** @throws Error when the source has a syntax error */
export function solidityEdits(source: string): Edit[] {
  const edits: Edit[] = []
  const wholeIfs = new Set<Node>()
  walkSolidity(parseSolidity(source), (node) => {
    if (node.nodeType === 'IfStatement' && node.falseBody == null) {
      const { trueBody } = node
      wholeIfs.add(trueBody.statements?.length === 1 ? trueBody.statements[0] : trueBody)
    }
    // Leaving out everything that an `if` does equals leaving out the `if`.
    if (!wholeIfs.has(node)) edits.push(...statementEdits(node, source))
    edits.push(...expressionEdits(node, source))
    return undefined
  })
  return edits
}

function statementEdits(node: Node, source: string): Edit[] {
  switch (node.nodeType) {
    case 'ExpressionStatement':
      return [replace(isRequire(node) ? 'sol-drop-require' : 'sol-drop-statement', node, '{}')]
    case 'EmitStatement':
      return [replace('sol-drop-emit', node, '{}')]
    case 'RevertStatement':
      return [replace('sol-drop-revert', node, '{}')]
    case 'IfStatement':
      return node.falseBody == null
        ? [replace('sol-drop-if', node, '{}')]
        : [replace('sol-negate', node.condition, `!(${text(node.condition, source)})`)]
    default:
      return []
  }
}

function expressionEdits(node: Node, source: string): Edit[] {
  switch (node.nodeType) {
    case 'ModifierInvocation':
      return [replace('sol-modifier', node, '')]
    case 'UnaryOperation':
      return node.operator === '!' ? [replace('sol-unary', node, text(node.subExpression, source))] : []
    case 'Literal':
    case 'YulLiteral':
      return literalEdits(node)
    case 'YulFunctionCall': {
      const other = FUNCTIONS[node.functionName.name]
      return other === undefined ? [] : [replace('sol-arithmetic', node.functionName, other)]
    }
    case 'Conditional': {
      const [condition, yes, no] = [node.condition, node.trueExpression, node.falseExpression]
      const swapped = `${text(condition, source)} ? ${text(no, source)} : ${text(yes, source)}`
      return [replace('sol-swap-branches', node, swapped)]
    }
    case 'BinaryOperation':
      return operatorEdits(node, node.leftExpression, node.rightExpression, source)
    case 'Assignment':
      return operatorEdits(node, node.leftHandSide, node.rightHandSide, source)
    default:
      return []
  }
}

function operatorEdits(node: Node, left: Node, right: Node, source: string): Edit[] {
  const operator: string = node.operator
  // A test that notices each operand left out would also notice the other operator.
  if (operator === '&&' || operator === '||')
    return [left, right].map((side) => replace('sol-operand', node, text(side, source)))
  const start = source.indexOf(operator, left.end)
  const place = { start, end: start + operator.length } as Node
  const arithmetic = ARITHMETIC[operator]
  if (arithmetic !== undefined) return [replace('sol-arithmetic', place, arithmetic)]
  return (COMPARISONS[operator] ?? []).map((other) => replace('sol-comparison', place, other))
}

function literalEdits(node: Node): Edit[] {
  if (node.kind === 'bool') return [replace('sol-truth', node, node.value === 'true' ? 'false' : 'true')]
  if (node.kind !== 'number' || !/^\d[\d_]*$/.test(node.value)) return []
  return [replace('sol-constant', node, `${BigInt(node.value.replaceAll('_', '')) + 1n}`)]
}

function isRequire(node: Node): boolean {
  return node.expression?.expression?.name === 'require'
}

function replace(operator: string, { start, end }: Node, replacement: string): Edit {
  return { operator, start, end, replacement }
}

function text({ start, end }: Node, source: string): string {
  return source.slice(start, end)
}
