/** Taking a role from a stolen key: what it refuses. The taking itself is in test/live/live.test.ts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { keccak256, toHex } from 'viem'
import { deployContracts } from '../../src/chain/deployment/deploy.ts'
import { connectNode } from '../../src/chain/node.ts'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { addressOf, planFor } from '../../test/support/deployment.ts'
import { startAnvil } from './anvil.ts'

const RIGHT = {
  RPC_URL: 'http://127.0.0.1:1/a-secret-path',
  PAUSER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  CONTRACT: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  ROLE: 'signer',
  HOLDER: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
}

function take(changes: Record<string, string>) {
  return spawnSync(process.execPath, [path.join(import.meta.dirname, 'take-role.ts')], {
    env: { ...childEnvironment(), ...RIGHT, ...changes },
    encoding: 'utf8',
  })
}

function run(changes: Record<string, string>): string {
  const { status, stderr, stdout } = take(changes)
  assert.deepEqual([status, stdout], [1, ''])
  return stderr
}

test('settings that are missing or wrong are named, the admin keeps its role, and neither key nor node is shown', () => {
  assert.match(run({ PAUSER_PRIVATE_KEY: '0x12' }), /^PAUSER_PRIVATE_KEY has to be 0x and 64 hexadecimal digits$/m)
  assert.match(
    run({ ROLE: 'admin' }),
    /^ROLE has to be one of settler, signer, limiter, linker, freezer, pauser, unpauser$/m,
  )
  assert.equal(run({}), 'http://127.0.0.1:1 does not answer: try another RPC_URL.\n')
})

test('a key that is no pauser, and one that cannot pay, are named by their addresses', async () => {
  const anvil = await startAnvil()
  try {
    const { settlement } = await deployContracts(planFor(anvil.rpcUrl))
    const request = (name: string) => ({
      RPC_URL: anvil.rpcUrl,
      CONTRACT: settlement,
      HOLDER: addressOf('signer'),
      PAUSER_PRIVATE_KEY: keccak256(toHex(name)),
    })
    assert.equal(
      run(request('linker')),
      `${addressOf('linker')} is no pauser of ${settlement}: PAUSER_PRIVATE_KEY is another's.\n`,
    )
    assert.equal(
      run(request('pauser')),
      `The pauser ${addressOf('pauser')} has too little gas money: send it native coin. Nothing was taken.\n`,
    )
  } finally {
    await anvil.stop()
  }
})

test('who runs it twice is told where the role was taken; where it never was, the other contract is thought of', async () => {
  const anvil = await startAnvil()
  try {
    const { coin, settlement } = await deployContracts(planFor(anvil.rpcUrl))
    await connectNode(anvil.rpcUrl).request('anvil_setBalance', [addressOf('pauser'), '0xde0b6b3a7640000'])
    const request = {
      RPC_URL: anvil.rpcUrl,
      CONTRACT: settlement,
      HOLDER: addressOf('signer'),
      PAUSER_PRIVATE_KEY: keccak256(toHex('pauser')),
    }
    const [first, second] = [take(request), take(request)]
    assert.deepEqual([first.status, second.status], [0, 0], first.stderr + second.stderr)
    assert.equal(second.stdout, first.stdout)
    assert.match(run({ ...request, CONTRACT: coin }), /it was taken before, or this is the other contract/)
  } finally {
    await anvil.stop()
  }
})
