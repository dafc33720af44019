/**
 * Compiles the contracts with a fault in them, and leaves the tests as they are: they deploy the contracts from files
 * that the environment names, and compiling the tests is what takes long.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import solc from 'solc'
import { compilerSettings } from '../../contracts/tools/settings.ts'

/** What the tests' fixture reads; see contracts/test/support/Fixture.sol. */
const CONTRACTS = [
  { variable: 'COIN_ARTIFACT', source: 'contracts/src/Coin.sol', name: 'Coin' },
  { variable: 'SETTLEMENT_ARTIFACT', source: 'contracts/src/Settlement.sol', name: 'Settlement' },
] as const
/** From where foundry.toml lets tests read. */
const FOLDER = 'contracts/cache/deployed'

export type Contracts = {
  /** Variables that name the contracts without a fault. */
  sound: Readonly<Record<string, string>>
  /** Variables that name the contracts with this text in place of the file's; undefined: the compiler refuses it. */
  withFault(file: string, text: string): Readonly<Record<string, string>> | undefined
}

type Compiled = { artifact: string; files: ReadonlySet<string> }
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>
}

/**
 * @param root the folder with contracts and node_modules
 * @throws Error with the compiler's words when it refuses them as they are
 */
export function openContracts(root: string): Contracts {
  mkdirSync(path.join(root, FOLDER), { recursive: true })
  const originals = CONTRACTS.map((contract) => ({ ...contract, ...compile(root, contract, undefined) }))
  const sound: Record<string, string> = {}
  for (const { variable, name, artifact } of originals) sound[variable] = store(root, name, artifact)
  return {
    sound,
    withFault(file, text) {
      const named = { ...sound }
      for (const contract of originals.filter(({ files }) => files.has(file))) {
        try {
          const { artifact } = compile(root, contract, { file, text })
          named[contract.variable] = store(root, `${contract.name}.fault`, artifact)
        } catch {
          return undefined
        }
      }
      return named
    },
  }
}

function store(root: string, name: string, artifact: string): string {
  const file = `${FOLDER}/${name}.json`
  writeFileSync(path.join(root, file), artifact)
  return file
}

/** Without the optimizer, which takes a minute. */
function compile(
  root: string,
  { source, name }: { source: string; name: string },
  fault: { file: string; text: string } | undefined,
): Compiled {
  const files = new Set<string>()
  const read = (file: string): { contents: string } => {
    files.add(file)
    if (file === fault?.file) return { contents: fault.text }
    return {
      contents: readFileSync(path.join(root, file.startsWith('contracts/') ? '' : 'node_modules', file), 'utf8'),
    }
  }
  const input = {
    language: 'Solidity',
    sources: { [source]: { content: read(source).contents } },
    settings: {
      evmVersion: compilerSettings.evmVersion,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { [source]: { [name]: ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { errors = [], contracts }: Output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }))
  const contract = contracts?.[source]?.[name]
  if (contract === undefined || errors.some(({ severity }) => severity === 'error'))
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n') || `${source} has no ${name}`)
  const { abi, evm } = contract
  return { artifact: JSON.stringify({ abi, bytecode: evm.bytecode }), files }
}
