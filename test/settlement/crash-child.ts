/** A settler in a process of its own that kills itself with -9 at a named step. Everything comes from SETTLER_TASK. */
import { pino } from 'pino'
import { connectChain } from '../../src/chain/chain.ts'
import type { ChainConfig } from '../../src/config.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createSettler } from '../../src/settlement/settler.ts'
import { QUICK } from './scenario.ts'

const task = JSON.parse(process.env.SETTLER_TASK ?? '{}') as {
  databaseUrl: string
  config: ChainConfig
  dieAt: string | undefined
  holder: string
}
const config = { ...task.config, maxFeePerGasWei: BigInt(task.config.maxFeePerGasWei) }
const db = await openPostgres({ url: task.databaseUrl, poolSize: 3 })
const logger = pino({ level: process.env.TEST_LOG ?? 'silent' })
const ABOUT_A_STORED_BATCH: ReadonlySet<string> = new Set(['chain-looked-at', 'mined-recorded'])
let hasStored = false
const settler = createSettler({
  db,
  chains: [connectChain(config, { db, logger })],
  logger,
  holder: task.holder,
  times: QUICK,
  onStep(step) {
    hasStored ||= step === 'batch-stored'
    // Looking and recording also happen before there is a batch, so it dies only where they concern one.
    const isAbout = hasStored || !ABOUT_A_STORED_BATCH.has(step)
    if (step === task.dieAt && isAbout) process.kill(process.pid, 'SIGKILL')
  },
})
settler.start()
