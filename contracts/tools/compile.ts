import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import type { Abi, Hex } from 'viem'
import { compilerSettings } from './settings.ts'

/** The root of the repository. */
export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** A compiled contract: its ABI and the bytecode that creates it (constructor arguments not included). */
export type Artifact = { abi: Abi; bytecode: Hex }

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

function readSource(path: string): { contents: string } | { error: string } {
  const file = path.startsWith('contracts/') ? path : `node_modules/${path}`
  try {
    return { contents: readFileSync(resolve(repositoryRoot, file), 'utf8') }
  } catch (error) {
    return { error: `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/**
 * Compiles contracts with solc-js and `compilerSettings`. Deterministic: equal sources give equal bytes on any machine.
 *
 * @param wanted source path (below contracts/, or of an npm package) → name of the contract in it
 * @returns the artifacts, by the name of the contract
 * @throws Error with the compiler's messages when there is an error or a warning, or a contract is missing
 */
export function compile(wanted: Record<string, string>): Record<string, Artifact> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.keys(wanted).map((path) => [path, { content: mustRead(path) }])),
    settings: {
      ...compilerSettings,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: readSource }))
  const problems = (output.errors ?? []).filter(({ severity }) => severity !== 'info')
  if (problems.length > 0) throw new Error(problems.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(wanted).map(([path, name]) => {
      const contract = output.contracts?.[path]?.[name]
      if (!contract) throw new Error(`${path} has no contract ${name}`)
      return [name, { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` as const }]
    }),
  )
}

function mustRead(path: string): string {
  const source = readSource(path)
  if ('error' in source) throw new Error(source.error)
  return source.contents
}
