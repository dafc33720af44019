/** Two settlers as in production: one settles all chains, the other stands by. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Database } from '../../../src/db/database.ts'
import { type GuardedProcess, startGuarded } from '../../../test/support/guarded-process.ts'
import { temporaryFolder } from '../../../test/support/temp.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { type BenchChain, chainsFileOf, keysOfChains } from './chains.ts'

const MAIN = path.join(import.meta.dirname, '../../../src/main.ts')
const POLL_MS = 200

/** Starts `src/main.ts` with the role `settler` and waits until it answers probes. */
export async function startSettlerProcess(databaseUrl: string, chains: readonly BenchChain[]): Promise<GuardedProcess> {
  const folder = temporaryFolder('settling')
  const file = path.join(folder, 'chains.json')
  writeFileSync(file, chainsFileOf(chains, POLL_MS))
  const started = await startGuarded(process.execPath, [MAIN], {
    orphanSignal: 'TERM',
    outputFile: path.join(folder, 'log'),
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      COIN_ROLES: 'settler',
      PORT: '0',
      OPERATOR_PORT: '0',
      DATA_DIR: folder,
      CHAINS_FILE: file,
      DATABASE_URL: databaseUrl,
      ...keysOfChains(),
    },
  })
  const served = await waitFor(
    'a settler to serve',
    () => (started.running() ? /probes and metrics listening/.test(started.output()) : 'ended'),
    { timeoutMs: 120_000 },
  )
  if (served === 'ended') throw new Error(`a settler did not start: ${started.output().slice(-3_000)}`)
  return started
}

/** Waits until a process has the leases of all chains. @returns after how many milliseconds */
export async function untilLeads(db: Database, pid: number, chains: readonly BenchChain[]): Promise<number> {
  const began = performance.now()
  const names = chains.map(({ chainId }) => `settlement:${chainId}`)
  await waitFor(
    `process ${pid} to lead`,
    async () => {
      const held = await db.query(
        `select from leases where name = any($1::text[]) and holder like '%-' || $2 || '-%' and expires_at > now()`,
        [names, String(pid)],
      )
      return held.length === chains.length
    },
    { timeoutMs: 120_000, everyMs: 50 },
  )
  return performance.now() - began
}
