/** Memory of the API process after it has accepted, read and listed many orders. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { applyLoad } from './support/load.ts'
import { currentLoad, progress, publish } from './support/report.ts'
import { CHAIN_ID, startApi, startBench, WALLET } from './support/service.ts'

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '20' } },
})
const [wanted, seconds] = [Number(values.orders), Number(values.seconds)]
const loadBefore = currentLoad()
const bench = await startBench()
try {
  const api = await startApi(bench, { poolSize: 10 })
  const { pid } = api.process
  const mint = { customerId: bench.customerId, amountMyr: '10', walletAddress: WALLET, chainId: CHAIN_ID }
  const job = { port: api.port, connections: 64, warmUpSeconds: 0, seconds, apiKey: bench.apiKey }
  const rows: (string | number)[][] = [['orders accepted by the process', 'resident MB', 'peak MB']]
  let accepted = 0
  const remember = () => rows.push([accepted, residentMb(pid, 'VmRSS'), residentMb(pid, 'VmHWM')])
  remember()
  while (accepted < wanted) {
    await applyLoad({ ...job, paths: [], mint: { ...mint, fiatConfirmed: true } }, 201)
    accepted = Number((await bench.db.query<{ count: bigint }>('select count(*) from orders'))[0]?.count)
    remember()
    progress(accepted, wanted, { residentMb: Number(rows.at(-1)?.[1]) }, 'order')
  }
  await applyLoad({ ...job, seconds: seconds / 2, paths: ['/v1/transactions?limit=100'] }, 200)
  rows.push([`and ${seconds / 2} s of full pages`, residentMb(pid, 'VmRSS'), residentMb(pid, 'VmHWM')])
  const peakMb = residentMb(pid, 'VmHWM')
  await api.stop()
  publish({
    name: 'memory',
    title: 'Memory of the API process',
    method:
      'Resident memory of one API process, the real program, which accepts mints over 64 connections and then answers pages of 100 orders.',
    rows: thinned(rows),
    measured: { memory: peakMb },
    numbers: { orders: accepted },
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await bench.end()
}

/** A field of /proc/PID/status in MB (10^6 bytes). */
function residentMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const match = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(match?.[1]) * 1024) / 1e6
}

/** The head, about ten rows in between, and the last two. */
function thinned<T>(rows: T[]): T[] {
  const step = Math.ceil(rows.length / 10)
  return rows.filter((_row, index) => index < 2 || index >= rows.length - 2 || index % step === 0)
}
