/**
 * Compiles the contracts and writes their ABI, bytecode and what identifies the running code to src/chain/generated.
 *
 *   node contracts/tools/generate.ts            write
 *   node contracts/tools/generate.ts --check    fail when what is committed differs, write nothing
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256, size } from 'viem'
import { type Artifact, repositoryRoot } from './compile.ts'
import { compileAll, targets } from './targets.ts'

const folder = 'src/chain/generated'

function render(name: string, source: string, artifact: Artifact): string {
  const { abi, bytecode, runtimeCode, immutableOffsets } = artifact
  return `// Generated from ${source} by contracts/tools/generate.ts. Do not edit.

/** The ABI of ${source}. */
export const ${name}Abi = ${JSON.stringify(abi, null, 2)} as const

/** The bytecode that creates it; constructor arguments are appended by the deployer. */
export const ${name}Bytecode =
  '${bytecode}' as const

/** The code that runs, with zeros in the place of its immutables: 32 bytes at each offset. */
export const ${name}Runtime = {
  hash: '${keccak256(runtimeCode)}',
  size: ${size(runtimeCode)},
  immutableOffsets: [${immutableOffsets.join(', ')}],
} as const
`
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const checkOnly = process.argv.includes('--check')
const artifacts = compileAll()
mkdirSync(join(repositoryRoot, folder), { recursive: true })

for (const { source, contract, name } of targets) {
  const artifact = artifacts[contract]
  if (!artifact) throw new Error(`${contract} was not compiled`)
  const path = join(repositoryRoot, folder, `${name}.ts`)
  const content = render(name, source, artifact)
  if (readOrEmpty(path) === content) continue
  if (checkOnly) {
    console.error(`${folder}/${name}.ts differs from its source: run node contracts/tools/generate.ts`)
    process.exitCode = 1
  } else {
    writeFileSync(path, content)
    console.log(`wrote ${folder}/${name}.ts`)
  }
}
