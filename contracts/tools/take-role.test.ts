/** Taking a role from a stolen key: what it refuses. The taking itself is in test/live/live.test.ts. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { keccak256, numberToHex, toHex } from 'viem'
import { deployContracts } from '../../src/chain/deployment/deploy.ts'
import { connectNode } from '../../src/chain/node.ts'
import { keepMining } from '../../test/support/anvil.ts'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { addressOf, planFor } from '../../test/support/deployment.ts'
import { startFaultyRpc } from '../../test/support/faulty-rpc.ts'
import { startAnvil } from './anvil.ts'

const RIGHT = {
  RPC_URL: 'http://127.0.0.1:1/a-secret-path',
  PAUSER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  CONTRACT: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  ROLE: 'signer',
  HOLDER: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
}

const TAKE_ROLE = path.join(import.meta.dirname, 'take-role.ts')
const optionsOf = (changes: Record<string, string>) =>
  ({ env: { ...childEnvironment(), ...RIGHT, ...changes }, encoding: 'utf8' }) as const

function take(changes: Record<string, string>) {
  return spawnSync(process.execPath, [TAKE_ROLE], optionsOf(changes))
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

test('it takes the place of what waits of its key, and offers more with each block while gas gets dearer', async () => {
  const anvil = await startAnvil()
  const node = connectNode(anvil.rpcUrl)
  const { settlement } = await deployContracts(planFor(anvil.rpcUrl))
  const pauser = addressOf('pauser')
  await node.request('anvil_setBalance', [pauser, numberToHex(10n ** 18n)])
  await node.request('evm_setAutomine', [false])
  // As nodes say that keep what an earlier run sent, which offers less than gas costs by now.
  const keeping = await startFaultyRpc(anvil.rpcUrl, ({ method, params }) =>
    method === 'eth_getTransactionCount' && params[1] === 'pending'
      ? { kind: 'pretend', result: '0x1' }
      : { kind: 'none' },
  )
  let isDear = false
  const mine = async () => {
    const { pending } = (await node.request('txpool_status', [])) as { pending: string }
    isDear ||= pending !== '0x0'
    if (isDear) await node.request('anvil_setNextBlockBaseFeePerGas', [numberToHex(10n ** 10n)])
    await node.request('evm_mine', [])
  }
  const stopMining = keepMining(mine, 500)
  try {
    const request = {
      RPC_URL: keeping.url,
      CONTRACT: settlement,
      HOLDER: addressOf('signer'),
      PAUSER_PRIVATE_KEY: keccak256(toHex('pauser')),
    }
    const options = { ...optionsOf(request), timeout: 60_000 }
    const { stdout } = await promisify(execFile)(process.execPath, [TAKE_ROLE], options)
    assert.match(stdout, /"txHash":"0x[0-9a-f]{64}","blockNumber":"\d+"/)
    assert.equal(await node.request('eth_getTransactionCount', [pauser, 'latest']), '0x1')
  } finally {
    stopMining()
    await keeping.close()
    await anvil.stop()
  }
})
