/** How long everything takes that must be green before a change is taken: `npm test`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { processorSeconds } from '../test/support/run/processor-time.ts'
import { currentLoad, publish } from './support/report.ts'

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const loadBefore = currentLoad()
const began = performance.now()
const args = values.only === undefined ? [] : ['--only', values.only]
const run = spawn(process.execPath, [path.join(import.meta.dirname, '../test/run.ts'), ...args], {
  stdio: ['ignore', 'pipe', 'inherit'],
  // Its tests read what is recorded, wherever this run writes.
  env: { ...process.env, BENCH_RESULTS: undefined },
})
let output = ''
run.stdout.on('data', (chunk: Buffer) => {
  output += chunk.toString()
  process.stdout.write(chunk)
})
const [code] = (await once(run, 'close')) as [number | null]
const seconds = (performance.now() - began) / 1_000
/** What the suite costs any machine, nearly: the time depends on what else a machine does. */
const processorS = processorSeconds()
const total = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output)
if (code !== 0 || total === null) throw new Error(`the suite ended with ${code}: a length of what failed says nothing`)
publish({
  name: 'suite',
  title: 'How long `npm test` takes',
  method: 'Everything that `npm test` runs: types, linting, schema, contracts, and the suites on both engines.',
  rows: [
    ['tests passed', 'skipped', 'seconds', 'minutes', 'seconds of processor time'],
    [Number(total[1]), Number(total[3]), seconds, seconds / 60, processorS],
  ],
  measured: { suite: seconds / 60 },
  numbers: { seconds, processorS, passed: Number(total[1]) },
  loadBefore,
})
