/** The limits that the guide of requests tells partners, against those that are in force where nothing else is set. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { MAX_BODY_BYTES } from '../../src/http/body.ts'
import { serverOptions, TIMEOUTS } from '../../src/http/server-options.ts'
import { ONE_IN_MICRO } from '../../src/money.ts'
import { load } from '../support/settings.ts'

const guide = readFileSync(path.join(import.meta.dirname, '../../docs/guides/requests.md'), 'utf8')
const [, table = ''] = guide.split('## Limits\n')
const rows = new Map([...table.matchAll(/^\| ([^|]+?) \| ([^|]+?) \|$/gm)].map(([, what, much]) => [what, much]))

const people = (count: bigint | number) => count.toLocaleString('en')
const whole = (micro: bigint) => people(micro / ONE_IN_MICRO)

test('each limit of the guide is the one in force', () => {
  const { rates, policy } = load({})
  const { http } = serverOptions(TIMEOUTS, [])
  const caps = `${whole(policy.transferTxCapMicro)} coin, and ${whole(policy.transferDayCapMicro)} coin for each key and UTC day`
  for (const [what, much] of Object.entries({
    reads: `${rates.read} requests a minute for each key`,
    balances: `${rates.balances} requests a minute for each key`,
    POSTs: `${rates.write} requests a minute for each key`,
    'a transfer': caps,
    'a mint or redeem of a customer who is not resident': `RM ${whole(policy.nonResidentLimitMicro)}`,
    'a body': `${MAX_BODY_BYTES / 1024} KiB (${people(MAX_BODY_BYTES)} bytes)`,
    'request line and headers': `${http.maxHeaderSize / 1024} KiB together`,
    'the time to send a request': `${TIMEOUTS.requestMs / 1_000} seconds, of which its headers have ${TIMEOUTS.headersMs / 1_000}`,
  })) {
    assert.equal(rows.get(what), much, what)
  }
})
