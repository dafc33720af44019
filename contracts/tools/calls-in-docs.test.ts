/** What contracts/README.md and the runbooks have people send to the contracts: a wrong type would be another function, or none. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { type Abi, toFunctionSelector } from 'viem'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { timelockAbi } from '../../src/chain/generated/timelock.ts'

const PAGES = ['contracts/README.md', 'docs/RUNBOOKS.md']
const textOf = (page: string): string => readFileSync(path.join(import.meta.dirname, '../..', page), 'utf8')

const FUNCTIONS = new Set(
  ([coinAbi, settlementAbi, timelockAbi] as readonly Abi[])
    .flat()
    .flatMap((each) => (each.type === 'function' ? [toFunctionSelector(each)] : [])),
)

for (const page of PAGES) {
  test(`every function that ${page} has people call with cast is one of the contracts`, () => {
    const calls = [...textOf(page).matchAll(/cast (?:send|call|calldata)[^`\n]*?'(\w+\([^']*?\))(?:\(\w*\))?'/g)]
    const named = calls.map(([, signature = '']) => signature)
    assert.ok(named.length > 1, String(named.length))
    const unknown = named.filter((signature) => !FUNCTIONS.has(toFunctionSelector(`function ${signature}`)))
    assert.deepEqual(unknown, [])
  })
}
