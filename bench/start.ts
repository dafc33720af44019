/**
 * Seconds from starting the embedded sandbox to its first answer: for the first time, and on a data folder that exists.
 */
import { parseArgs } from 'node:util'
import { startSandbox } from '../test/sandbox/sandbox-process.ts'
import { temporaryFolder } from '../test/support/temp.ts'
import { currentLoad, median, progress, publish } from './support/report.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const rounds = Number(values.rounds)
const loadBefore = currentLoad()
const dataDir = temporaryFolder('start')

async function startSeconds(): Promise<number> {
  const startedMs = performance.now()
  const sandbox = await startSandbox({ DATA_DIR: dataDir })
  const answer = await fetch(`${sandbox.baseUrl}/health`)
  if (answer.status !== 200) throw new Error(`health answered ${answer.status}`)
  const seconds = (performance.now() - startedMs) / 1000
  await sandbox.process.end('SIGTERM', 30_000)
  return seconds
}

const first = await startSeconds()
const further: number[] = []
for (let turn = 0; turn < rounds; turn += 1) {
  further.push(await startSeconds())
  progress(turn + 1, rounds, { seconds: further.at(-1) })
}
publish({
  name: 'start',
  title: 'Starting the sandbox',
  method: `From starting \`src/main.ts\` to the answer of \`GET /v1/health\`, with the embedded database and chain. The goal is about the second start,
when the data folder exists; ${further.length} such starts.`,
  rows: [['start', 'seconds'], ['first', first], ...further.map((seconds) => ['further', seconds])],
  measured: { start: median(further) },
  numbers: { first },
  loadBefore,
})
process.exit()
