/**
 * The torture run from the command line (docs/RELIABILITY.md):
 *
 *   npm run torture -- --minutes 30 --seed 7         exit 0: no violation
 *   npm run torture -- --fault 'kill -9' --fault reorganisation     only these
 *   npm run torture -- --open                        also faults that today's code is known not to survive
 */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { atLeast } from '../support/wait-for.ts'
import { CATALOGUE } from './faults/catalogue.ts'
import { describe } from './report.ts'
import { runTorture } from './torture.ts'

const SETTLE_MS = 60_000
const SETTLE_LIMIT_MS = atLeast(150_000)

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    clients: { type: 'string', default: '5' },
    'fault-every': { type: 'string', default: '1.5' },
    fault: { type: 'string', multiple: true },
    without: { type: 'string', multiple: true, default: [] },
    open: { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
})
const { seed } = values
const folder = path.resolve(values.folder ?? tmpdir(), `coin-torture-${seed}-${process.pid}`)
mkdirSync(folder, { recursive: true })
const names = (list: readonly string[], name: string) => list.some((part) => name.includes(part))
const catalogue = CATALOGUE.filter(({ name, openIssue }) => {
  if (names(values.without, name)) return false
  return values.fault === undefined ? openIssue === undefined || values.open : names(values.fault, name)
})
console.log(`torture: seed ${seed}, ${values.minutes} min of load, logs in ${folder}`)
const { summary, violations } = await runTorture({
  seed,
  loadMs: Number(values.minutes) * 60_000,
  settleMs: SETTLE_MS,
  settleLimitMs: SETTLE_LIMIT_MS,
  clients: Number(values.clients),
  faultEveryMs: Number(values['fault-every']) * 1_000,
  catalogue,
  folder,
  print: (line) => console.log(line),
})
console.log(`\n${describe(summary, violations)}`)
process.exit(violations.length === 0 ? 0 : 1)
