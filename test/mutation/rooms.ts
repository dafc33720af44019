/** The rooms where money moves: their sources, and the tests that have to notice a fault in them. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Mutant, nameMutants } from './mutant.ts'
import { solidityEdits } from './solidity.ts'
import { typeScriptEdits } from './typescript.ts'

export type Room = {
  sources: readonly string[]
  /** Files to leave out of `sources`. */
  except?: readonly string[]
  /** Folders or files with tests. The quickest tests that reach a fault are run first. */
  tests: readonly string[]
}

export const ROOMS: Readonly<Record<string, Room>> = {
  settlement: {
    sources: [
      'src/settlement/**/*.ts',
      'src/leases/*.ts',
      'src/chain/{broadcast,fees,final-block,instructions,quorum,witness}.ts',
    ],
    except: ['src/settlement/metrics.ts', 'src/settlement/registered-metrics.ts'],
    tests: ['src/settlement', 'src/leases', 'src/chain', 'test/settlement'],
  },
  payouts: {
    sources: ['src/payouts/**/*.ts', 'src/money.ts'],
    tests: ['src/payouts', 'src/money.test.ts', 'test/payouts', 'test/life'],
  },
  life: {
    sources: ['src/orders/life/*.ts', 'src/events/*.ts'],
    tests: ['src/events', 'test/life', 'test/api/events.test.ts', 'test/payouts', 'test/settlement'],
  },
  acceptance: {
    sources: ['src/orders/accept/**/*.ts', 'src/orders/*.ts'],
    tests: ['src/orders', 'test/orders', 'test/api'],
  },
  edge: {
    sources: [
      'src/http/*.ts',
      'src/http/routes/*.ts',
      'src/integrations/*.ts',
      'src/orders/read/*.ts',
      'src/errors.ts',
      'src/values/{cursor,instant,ip-allowlist}.ts',
      'src/http-server/{odd-headers,pipelining}.ts',
    ],
    tests: [
      'src/http',
      'src/integrations',
      'src/orders/read',
      'src/values/instant.test.ts',
      'src/values/ip-allowlist.test.ts',
      'src/http-server/odd-headers.test.ts',
      'src/http-server/pipelining.test.ts',
      'test/api',
      'test/contract',
      'test/security',
    ],
  },
  ledger: {
    sources: ['src/ledger/**/*.ts'],
    tests: ['src/ledger', 'test/ledger', 'test/operator/close.test.ts', 'test/operator/ledger.test.ts'],
  },
  webhooks: {
    sources: ['src/webhooks/**/*.ts'],
    except: ['src/webhooks/metrics.ts'],
    tests: ['src/webhooks', 'test/webhooks'],
  },
  bank: {
    sources: ['src/statements/*.ts', 'src/payment-files/*.ts', 'src/reserves/*.ts'],
    except: ['src/reserves/metrics.ts'],
    tests: [
      'src/statements',
      'src/reserves',
      'test/statements',
      'test/payment-files',
      'test/reserves',
      'test/operator/paid-again.test.ts',
    ],
  },
  operator: {
    sources: ['src/operator/**/*.ts', 'src/operators/*.ts'],
    except: ['src/operator/cli.ts', 'src/operator/cli/**'],
    tests: ['src/operator', 'src/operators', 'test/operator'],
  },
  contracts: {
    sources: ['contracts/src/**/*.sol'],
    tests: ['contracts/test/**/*.t.sol'],
  },
}

/** The files of a room. @throws Error when one of its patterns finds none: it has moved */
export function sourcesOf(root: string, { sources, except = [] }: Room): string[] {
  const files = sources.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    if (found.length === 0) throw new Error(`test/mutation/rooms.ts: nothing matches ${pattern}`)
    return found
  })
  return [...new Set(files)]
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !except.some((pattern) => path.matchesGlob(file, pattern)))
    .sort()
}

/** Every mutant of a file. */
export function mutantsOf(root: string, room: string, file: string): Mutant[] {
  const source = readFileSync(path.join(root, file), 'utf8')
  return nameMutants(room, file, source, file.endsWith('.sol') ? solidityEdits(source) : typeScriptEdits(source))
}
