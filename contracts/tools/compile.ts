import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Abi, Hex } from 'viem'
import { compilerSettings } from './settings.ts'

const require = createRequire(import.meta.url)

/** The root of the repository. */
export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * A compiled contract: its ABI, the bytecode that creates it (constructor arguments not included), and the code that
 * runs, with zeros where its immutables are filled in at creation: 32 bytes at each of `immutableOffsets`.
 */
export type Artifact = { abi: Abi; bytecode: Hex; runtimeCode: Hex; immutableOffsets: number[] }

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[]
  contracts?: Record<string, Record<string, CompiledContract>>
}

const OUTPUTS = [
  'abi',
  'evm.bytecode.object',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.immutableReferences',
]

type CompiledContract = {
  abi: Abi
  evm: {
    bytecode: { object: string }
    deployedBytecode: { object: string; immutableReferences?: Record<string, { start: number; length: number }[]> }
  }
}

function readSource(path: string): { contents: string } | { error: string } {
  const file = path.startsWith('contracts/') ? path : `node_modules/${path}`
  try {
    return { contents: readFileSync(resolve(repositoryRoot, file), 'utf8') }
  } catch (error) {
    return { error: `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

type Kept = { sources: Record<string, string>; output: CompilerOutput }

/**
 * Compiles contracts with solc-js and `compilerSettings`. Deterministic: equal sources give equal bytes on any machine.
 * Compiling takes long, so the last output is kept in contracts/cache and reused while no source has changed.
 *
 * @param wanted source path (below contracts/, or of an npm package) → name of the contract in it
 * @returns the artifacts, by the name of the contract
 * @throws Error with the compiler's messages when there is an error, or a warning about ours, or a contract is missing
 */
export function compile(wanted: Record<string, string>): Record<string, Artifact> {
  const input = JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(Object.keys(wanted).map((path) => [path, { content: mustRead(path) }])),
    settings: {
      ...compilerSettings,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': OUTPUTS } },
    },
  })
  const output = compileOrRecall(input)
  const problems = (output.errors ?? []).filter(
    ({ severity, sourceLocation }) => severity === 'error' || (severity === 'warning' && isOurs(sourceLocation?.file)),
  )
  if (problems.length > 0) throw new Error(problems.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(wanted).map(([path, name]) => {
      const contract = output.contracts?.[path]?.[name]
      if (!contract) throw new Error(`${path} has no contract ${name}`)
      return [name, artifactOf(contract)]
    }),
  )
}

function compileOrRecall(input: string): CompilerOutput {
  const folder = resolve(repositoryRoot, 'contracts/cache')
  const { version }: { version: string } = require('solc/package.json')
  const path = resolve(folder, `solc-${hashOf(version + input)}.json`)
  const kept = readKept(path)
  if (kept !== undefined) return kept.output
  const sources: Record<string, string> = {}
  const read = (file: string): { contents: string } | { error: string } => {
    const source = readSource(file)
    if ('contents' in source) sources[file] = hashOf(source.contents)
    return source
  }
  // Only now: to load the compiler takes longer than to read what it said before.
  const solc: typeof import('solc') = require('solc')
  const output: CompilerOutput = JSON.parse(solc.compile(input, { import: read }))
  mkdirSync(folder, { recursive: true })
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify({ sources, output } satisfies Kept))
  renameSync(unfinished, path)
  return output
}

/** The kept output, unless a source has changed since. */
function readKept(path: string): Kept | undefined {
  try {
    const kept: Kept = JSON.parse(readFileSync(path, 'utf8'))
    const isSame = ([file, hash]: [string, string]): boolean => hashOf(mustRead(file)) === hash
    return Object.entries(kept.sources).every(isSame) ? kept : undefined
  } catch {
    return undefined
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Warnings about packages are not ours to heed. */
function isOurs(file: string | undefined): boolean {
  return file === undefined || file.startsWith('contracts/')
}

function artifactOf({ abi, evm }: CompiledContract): Artifact {
  const references = Object.values(evm.deployedBytecode.immutableReferences ?? {}).flat()
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    runtimeCode: `0x${evm.deployedBytecode.object}`,
    immutableOffsets: references.map(({ start }) => start).sort((a, b) => a - b),
  }
}

function mustRead(path: string): string {
  const source = readSource(path)
  if ('error' in source) throw new Error(source.error)
  return source.contents
}
