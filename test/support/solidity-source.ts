/** Solidity as a tree, from the compiler itself. */
import solc from 'solc'

// biome-ignore lint/suspicious/noExplicitAny: a tree that is walked by the names of its node types
export type SolidityNode = { nodeType: string; start: number; end: number; [key: string]: any }

/**
 * Parses without following imports. `start` and `end` are offsets into the source; a statement ends with its semicolon.
 * @throws Error when the source has a syntax error
 */
export function parseSolidity(source: string): SolidityNode {
  const input = {
    language: 'Solidity',
    sources: { 'Source.sol': { content: source } },
    settings: { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    sources?: Record<string, { ast?: SolidityNode }>
    errors?: { formattedMessage: string }[]
  }
  const ast = output.sources?.['Source.sol']?.ast
  if (ast === undefined) throw new Error(output.errors?.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const toOffset = characterOffsets(source)
  walkSolidity(ast, (node) => {
    const [start = 0, length = 0] = String(node.src).split(':').map(Number)
    node.start = toOffset(start)
    node.end = toOffset(start + length)
    if (/Statement$/.test(node.nodeType)) node.end += /^\s*;/.exec(source.slice(node.end))?.[0].length ?? 0
    return true
  })
  return ast
}

/** Calls `visit` for every node, parents first; returning `false` leaves out what is below the node. */
export function walkSolidity(node: SolidityNode, visit: (node: SolidityNode) => boolean | undefined): void {
  if (visit(node) === false) return
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.nodeType === 'string') walkSolidity(child, visit)
  }
}

/** Turns the compiler's offsets, which count bytes, into offsets of characters. */
function characterOffsets(source: string): (byte: number) => number {
  const bytes = Buffer.from(source)
  return bytes.length === source.length ? (byte) => byte : (byte) => bytes.subarray(0, byte).toString().length
}
