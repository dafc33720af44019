/** docs/OPERATIONS.md and docs/RUNBOOKS.md are true, and what docs/GOING-LIVE.md says of gas money. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { formatEther, parseGwei } from 'viem'
import { neededWei } from '../src/chain/key-gas.ts'
import { loadConfig } from '../src/config.ts'
import { COMMANDS } from '../src/operators/commands.ts'
import { HOLD_REASONS } from '../src/settlement/metrics.ts'
import { everyMetric } from './support/every-metric.ts'

const pageOf = (name: string): string => readFileSync(path.join(import.meta.dirname, '../docs', name), 'utf8')
const document = pageOf('OPERATIONS.md')

function sectionOf(title: string): string {
  return document.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? ''
}

/** The words in backquotes of a table's first column. */
function firstColumn(section: string): string[] {
  const cells = section.split('\n').flatMap((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
}

test('the settings table lists every variable that is read, and no other', () => {
  const read = new Set<string>()
  const env = new Proxy<Record<string, string>>(
    { PAYOUT_RAIL: 'http', CHAINS_FILE: 'chains.json', DEFAULT_CHAIN_ID: '1' },
    {
      get(target, name) {
        read.add(String(name))
        return target[String(name)]
      },
    },
  )
  assert.throws(() => loadConfig(env, () => '{"chains":[]}'))
  assert.deepEqual(firstColumn(sectionOf('Settings')).sort(), [...read].sort())
})

test('the chains file table lists every field of the sample, and no unknown one', () => {
  const file = path.join(import.meta.dirname, '../docs/samples/chains.json')
  const [chain] = (JSON.parse(readFileSync(file, 'utf8')) as { chains: Record<string, unknown>[] }).chains
  const listed = firstColumn(sectionOf('Chains file')).filter((name) => name !== 'sanctionsOracle')
  assert.deepEqual(listed.sort(), Object.keys(chain ?? {}).sort())
})

test('alarms name metrics that exist', async () => {
  const metrics = everyMetric()
  const text = await metrics.registry.metrics()
  const rows = sectionOf('Watching')
    .split('\n')
    .filter((line) => /^\| [a-z]/.test(line))
  const conditions = rows.flatMap((row) => (row.split('|')[2] ?? '').match(/`[^`]+`/g) ?? [])
  // What is called is no metric.
  const names = new Set(conditions.flatMap((each) => each.match(/\b[a-z]+_[a-z_]+\b(?!["(=])/g) ?? []))
  assert.ok(names.size > 20, [...names].join())
  for (const name of names) assert.match(text, new RegExp(`^# TYPE ${name.replace(/_count$/, '')} `, 'm'), name)
})

test('every reason why settlement is held has something to do', () => {
  const runbooks = pageOf('RUNBOOKS.md')
  for (const reason of HOLD_REASONS) if (reason !== 'none') assert.ok(firstColumn(runbooks).includes(reason), reason)
})

test('everything that waits for a second person is named, and nothing else', () => {
  const [, section = ''] = document.split('### Four eyes\n')
  const rows = (section.split('```')[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  const named = rows.flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  const waiting = COMMANDS.filter(({ approval }) => approval !== undefined).map(({ command }) => command)
  assert.deepEqual(named.sort(), waiting.sort())
})

test('what each key is to be given first is what its alarm asks for, at the ceilings of the chains file there', () => {
  const page = pageOf('GOING-LIVE.md')
  const gwei = Number(/"maxFeePerGasGwei": (\d+)/.exec(page)?.[1])
  // Ten times as much for a stop, which the file does not say.
  assert.doesNotMatch(page, /stopMaxFeePerGasGwei/)
  const ceilings = { maxFeePerGasWei: parseGwei(`${gwei}`), stopMaxFeePerGasWei: parseGwei(`${10 * gwei}`) }
  const coinFor = (name: Parameters<typeof neededWei>[0]) => formatEther(neededWei(name, ceilings))
  const said = `${gwei} gwei, less than ${coinFor('signer')} for a signer, ${coinFor('pauser')} for a pauser and ${coinFor('linker')} for each of the others`
  assert.ok(page.includes(said), said)
})
