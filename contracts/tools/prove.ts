/**
 * Lets the compiler's SMT checker prove contracts/proofs on the sources:
 *
 *   node contracts/tools/prove.ts
 *
 * The checker knows neither assembly nor storage pointers. So the sources are given to it with plain variables in the
 * place of namespaced storage, and any instruction in the place of packed bytes. Each of these changes has to be found
 * in the source: where it is not, nothing is proven.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import solc from 'solc'
import { repositoryRoot } from './compile.ts'

type Change = readonly [pattern: RegExp, replacement: string]

const REVERTS: Change = [/revert [A-Z]\w+\([^;]*\);/g, 'revert();']
const STORAGE: Change = [
  / {4}\/\/\/ @dev The namespaced storage[^]*?function _\w+\(\) private pure returns \((\w+) storage \$\) \{[^]*?\n {4}\}/,
  '    $1 internal kept$1;',
]

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  'contracts/src/settlement/BatchLedger.sol': [
    STORAGE,
    [/^\s*\w+ storage \$ = _\w+Storage\(\);$/gm, ''],
    [/\$\.|_batchLedgerStorage\(\)\./g, 'keptBatchLedgerStorage.'],
    REVERTS,
  ],
  'contracts/src/coin/Wallets.sol': [STORAGE, [/_walletsStorage\(\)\./g, 'keptWalletsStorage.'], REVERTS],
  'contracts/src/coin/Settleable.sol': [
    [/import \{GuardedERC20\} from "\.\/GuardedERC20\.sol";/, 'import {Wallets} from "./Wallets.sol";'],
    [
      /is ISettleable, GuardedERC20 \{/,
      'is Wallets { Kind inputKind; uint64 inputAmount; address inputWallet; address inputRecipient;' +
        ' event Transfer(address from, address to, uint256 value);',
    ],
    [/ {4}\/\/\/ @inheritdoc ISettleable[^]*?\n {4}\}\n/, ''],
    [/bytes calldata instructions, uint256 offset, /, ''],
    [/ {4}\/\/\/ @param (?:instructions|offset) .*\n/g, ''],
    [
      /\(kind, amount, wallet, next\) = instructions\.read\(offset\);/,
      '(kind, amount, wallet) = (inputKind, inputAmount, inputWallet);',
    ],
    [/instructions\.recipientBefore\(next\)/, 'inputRecipient'],
    [/private/g, 'internal'],
    [/^\s*Wallet storage \w+ = _at\(\w+\);$/gm, ''],
    [/_write\(debited, credited, amount\);/, 'unchecked { debited.word -= amount; credited.word += amount; }'],
    [/debited\.word/g, 'keptWalletsStorage._wallets[from].word'],
    [/credited\.word/g, 'keptWalletsStorage._wallets[to].word'],
  ],
}

function sourceOf(file: string): string {
  const path = file.startsWith('contracts/') ? file : `node_modules/${file}`
  const source = readFileSync(resolve(repositoryRoot, path), 'utf8')
  return (CHANGES[file] ?? []).reduce((text, [pattern, replacement]) => {
    if (text.search(pattern) < 0) throw new Error(`${file}: ${pattern} is not there any more`)
    return text.replace(pattern, replacement)
  }, source)
}
if (process.argv[3]) console.log(sourceOf('contracts/src/coin/Settleable.sol'))

type Message = { severity: string; errorCode?: string; message: string; formattedMessage: string }

/** The checker's word for an assertion that holds. */
const PROVEN = '2961'
/** That this engine will go one day: the solc of package.json has it. */
const DEPRECATED = '3993'

function prove(name: string): boolean {
  const file = `contracts/proofs/${name}.sol`
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: sourceOf(file) } },
    settings: {
      modelChecker: {
        // Checks each function from any state at all: the step of an induction.
        engine: 'bmc',
        solvers: ['z3'],
        contracts: { [file]: [name] },
        targets: ['assert'],
        showProvedSafe: true,
        showUnproved: true,
        showUnsupported: true,
      },
      outputSelection: { '*': { '*': ['abi'] } },
    },
  }
  const load = (path: string): { contents: string } => ({ contents: sourceOf(path) })
  const output: { errors?: Message[] } = JSON.parse(solc.compile(JSON.stringify(input), { import: load }))
  const messages = (output.errors ?? []).filter(({ errorCode }) => errorCode !== DEPRECATED)
  const proven = messages.filter(({ errorCode }) => errorCode === PROVEN)
  const wanted = sourceOf(file).match(/\bassert\(/g)?.length ?? 0
  for (const message of messages.filter((one) => !proven.includes(one))) console.error(message.formattedMessage)
  console.log(`${name}: ${proven.length} of ${wanted} proven`)
  return wanted > 0 && proven.length === wanted && messages.length === wanted
}

const began = Date.now()
for (const name of process.argv.slice(2)) if (!prove(name)) process.exitCode = 1
console.log(Date.now() - began)
