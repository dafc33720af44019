/** `npm run sandbox:reset`: removes what a sandbox keeps in DATA_DIR, so that the next start begins afresh. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { loadConfig } from '../config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { whyNotDone } from '../start/no-arguments.ts'
import { describeStartFailure, StartError } from '../start/start-failure.ts'
import { endOrphan } from './chain/local-chain.ts'

/** Only these are removed: DATA_DIR could be a folder that holds other things too. */
const KEPT = [
  'database',
  'contracts.json',
  'demo.json',
  'sandbox-key',
  'operator-token',
  'secrets-key',
  'chain-state.json',
  'chain-state.json.copy',
  'chain-state.json.copy.new',
  'chain-process.json',
  'chain-genesis',
  'chain.log',
]

/** The simulated bank's statements are about the books that go: the next ones would begin with what is left of them. */
const STATEMENT = /(^|[.-])SIM-\d+\.xml(\.part|\.reason\.json)?$/

function removeStatements(bank: string): void {
  for (const folder of ['in', 'working', 'done', 'set-aside'].map((name) => path.join(bank, name))) {
    const names = existsSync(folder) ? readdirSync(folder) : []
    for (const name of names.filter((one) => STATEMENT.test(one))) rmSync(path.join(folder, name))
  }
}

try {
  const refusal = whyNotDone('This deletes what the sandbox in DATA_DIR (default .data) keeps.')
  if (refusal !== undefined) throw new StartError(refusal)
  const { environment, dataDir, databaseUrl } = loadConfig(process.env)
  if (environment === 'live') throw new StartError('There is no sandbox to reset: COIN_ENVIRONMENT is live.')
  const unlock = lockFolder(path.join(dataDir, 'sandbox'), path.resolve(dataDir))
  await endOrphan(dataDir)
  for (const name of KEPT) rmSync(path.join(dataDir, name), { recursive: true, force: true })
  removeStatements(path.join(dataDir, 'bank'))
  unlock()
  console.log(`The sandbox in ${path.resolve(dataDir)} is reset.`)
  if (databaseUrl !== undefined) console.log('DATABASE_URL is set: empty that database too before the next start.')
} catch (error) {
  console.error(describeStartFailure(error))
  process.exitCode = 1
}
