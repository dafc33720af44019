/**
 * Lets the compiler's SMT checker prove contracts/proofs on the sources:
 *
 *   node contracts/tools/prove.ts             prove
 *   node contracts/tools/prove.ts --faults plant faults, each of which must be found (some minutes)
 *
 * The checker understands neither assembly nor storage pointers. So it gets the sources with plain variables in place
 * of namespaced storage, and with an arbitrary instruction in place of packed bytes. The source must contain each text
 * to be replaced: otherwise nothing is proven.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import solc from 'solc'
import { repositoryRoot } from './compile.ts'

type Change = readonly [pattern: RegExp, replacement: string]

const REVERTS: Change = [/revert [A-Z]\w+\([^;]*\);/g, 'revert();']
const STORAGE: Change = [
  / {4}\/\/\/ @dev The namespaced storage[\s\S]*?function _\w+\(\) private pure returns \((\w+) storage \$\) \{[\s\S]*?\n {4}\}/,
  '    $1 internal kept$1;',
]

/**
 * What the settling part needs from the rest. Whether a word has a flag is left open, so the proofs hold for any
 * answer.
 */
const STUBS = `
    event Transfer(address from, address to, uint256 value);
    mapping(uint256 word => mapping(uint256 flag => bool)) internal flags;
    function toUint120(uint256 value) internal pure returns (uint256) {
        require(value < 2 ** 120);
        return value;
    }`

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  'contracts/src/settlement/BatchLedger.sol': [
    STORAGE,
    [/^\s*\w+ storage \$ = _\w+Storage\(\);$/gm, ''],
    [/\$\.|_batchLedgerStorage\(\)\./g, 'keptBatchLedgerStorage.'],
    REVERTS,
  ],
  'contracts/src/shared/Instruction.sol': [[/\/\/\/ @title Packed instructions[\s\S]*/, '']],
  'contracts/src/coin/Wallets.sol': [STORAGE, [/_walletsStorage\(\)\./g, 'keptWalletsStorage.'], REVERTS],
  'contracts/src/coin/Settleable.sol': [
    [/import \{(?:GuardedERC20|SafeCast|Kind, PackedInstructions, Reason|Execution, ISettleable)\} .*\n/g, ''],
    [/^pragma .*$/m, '$&\nimport {Wallets} from "./Wallets.sol";\nimport {Reason} from "../shared/Instruction.sol";'],
    [/is ISettleable, GuardedERC20 \{\n.*\n/, `is Wallets {\n${STUBS}\n`],
    [/ {4}\/\/\/ @inheritdoc ISettleable[\s\S]*?(?= {4}\/\/\/ @dev Creates coins)/, ''],
    [/SafeCast\.toUint120\(/, 'toUint120('],
    [/private/g, 'internal'],
    [/^\s*Wallet storage \w+ = _at\(\w+\);$/gm, ''],
    [/debited\.word/g, 'keptWalletsStorage._wallets[from].word'],
    [/credited\.word/g, 'keptWalletsStorage._wallets[to].word'],
    [/\((\w+) \| (\w+)\) & FROZEN != 0/, 'flags[$1][FROZEN] || flags[$2][FROZEN]'],
    [/(\w+) & (BARRED|FROZEN|LINKED) != 0/g, 'flags[$1][$2]'],
    [/(\w+) & LINKED == 0/g, '!flags[$1][LINKED]'],
  ],
}

type Fault = { file: string; text: string; fault: string }

function sourceOf(file: string, planted?: Fault): string {
  const path = file.startsWith('contracts/') ? file : `node_modules/${file}`
  let source = readFileSync(resolve(repositoryRoot, path), 'utf8')
  if (planted?.file === file) source = changed(file, source, [planted.text, planted.fault])
  // Before the changes of the file that calls it: they make plain variables of what it names.
  if (file === SETTLEABLE) source = changed(file, source, [WRITE_CALL, writeOf(planted)])
  return (CHANGES[file] ?? []).reduce((text, change) => changed(file, text, change), source)
}

const SETTLEABLE = 'contracts/src/coin/Settleable.sol'
const WALLETS = 'contracts/src/coin/Wallets.sol'
const WRITE_CALL = '_write(debited, credited, amount);'

/** What `_write` does: the checker cannot follow its storage pointers, so it stands where it is called, with the same names. */
function writeOf(planted: Fault | undefined): string {
  let source = readFileSync(resolve(repositoryRoot, WALLETS), 'utf8')
  if (planted?.file === WALLETS) source = changed(WALLETS, source, [planted.text, planted.fault])
  const head = 'function _write(Wallet storage debited, Wallet storage credited, uint256 amount) internal {'
  const body = source.split(head)[1]?.split('\n    }\n')[0]
  if (body === undefined) throw new Error(`${WALLETS}: ${head} is not there any more`)
  return body.trim()
}

function changed(file: string, text: string, [pattern, replacement]: Change | [string, string]): string {
  const isThere = typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0
  if (!isThere) throw new Error(`${file}: ${pattern} is not there any more`)
  return text.replace(pattern, replacement)
}

type Message = { errorCode?: string; formattedMessage: string }

/** The checker's code for an assertion that holds. */
const PROVEN = '2961'
/** The warning that this engine will be removed; the compiler of package.json still has it. */
const DEPRECATED = '3993'

/** Every proof by the name of its contract, with the faults that it must find. */
const PROOFS: Readonly<Record<string, readonly Fault[]>> = {
  BatchOrderProof: faultsOf('contracts/src/settlement/BatchLedger.sol', [
    ['if (batchId != next) revert NotNextBatch(batchId, next);', ''],
    ['if (previous != $._runningHash)', 'if (previous == 0)'],
    ['$._lastBatchId = next;', ''],
  ]),
  SupplyProof: [
    ...faultsOf(WALLETS, [
      ['debited.word -= amount;', ''],
      ['credited.word += amount;', 'credited.word = amount;'],
    ]),
    ...faultsOf(SETTLEABLE, [
      ['credited.word = word + amount;', 'credited.word = word + 1;'],
      ['debited.word = word - amount;', ''],
      ['_supply() + minted - burned', '_supply() + minted'],
      ['if (_balanceIn(debitedWord) < amount) return', 'if (_balanceIn(debitedWord) < amount) credited.word += 1; if (amount == 7) return'], // biome-ignore format: one line
    ]),
  ],
}

function faultsOf(file: string, faults: readonly [text: string, fault: string][]): Fault[] {
  return faults.map(([text, fault]) => ({ file, text, fault }))
}

/**
 * Tries the assertions of a proof: how many there are, how many hold, and what the checker says about the others.
 * @throws Error when a source no longer contains a text to be replaced
 */
function prove(name: string, planted?: Fault): { wanted: number; proven: number; problems: string[] } {
  const file = `contracts/proofs/${name}.sol`
  const content = sourceOf(file)
  const modelChecker = {
    // Checks each function from an arbitrary state: the step of an induction.
    engine: 'bmc',
    solvers: ['z3'],
    contracts: { [file]: [name] },
    targets: ['assert'],
    showProvedSafe: true,
    showUnproved: true,
    showUnsupported: true,
  }
  const settings = { modelChecker, outputSelection: { '*': { '*': ['abi'] } } }
  const input = { language: 'Solidity', sources: { [file]: { content } }, settings }
  const load = (path: string): { contents: string } => ({ contents: sourceOf(path, planted) })
  const output: { errors?: Message[] } = JSON.parse(solc.compile(JSON.stringify(input), { import: load }))
  const messages = (output.errors ?? []).filter(({ errorCode }) => errorCode !== DEPRECATED)
  const problems = messages.filter(({ errorCode }) => errorCode !== PROVEN)
  return {
    wanted: content.match(/\bassert\(/g)?.length ?? 0,
    proven: messages.length - problems.length,
    problems: problems.map(({ formattedMessage }) => formattedMessage),
  }
}

function refuse(problem: string): void {
  console.error(problem)
  process.exitCode = 1
}

for (const [name, faults] of Object.entries(PROOFS)) {
  const { wanted, proven, problems } = prove(name)
  console.log(`${name}: ${proven} of ${wanted} proven`)
  if (proven !== wanted || wanted === 0 || problems.length > 0) refuse(problems.join('\n'))
  for (const fault of process.argv.includes('--faults') ? faults : []) {
    const seen = prove(name, fault).problems.some((problem) => problem.includes('Assertion violation'))
    console.log(`  ${seen ? 'seen' : 'NOT SEEN'}: ${fault.text} → ${fault.fault}`)
    if (!seen) refuse(`${name} does not see that fault`)
  }
}
