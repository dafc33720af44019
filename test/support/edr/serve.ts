/** Serves a chain of Hardhat's EDR over HTTP: `serve.ts CHAIN_ID`. A block a second; the first line of output is its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkToString,
  l1ProviderFactory,
  MineOrdering,
  SpecId,
} from '@nomicfoundation/edr'

const BLOCK_GAS = 30_000_000n
/** EIP-7825. */
const TRANSACTION_GAS = 16_777_216n
const BLOCK_EVERY_MS = 1_000n
const ONE_GWEI_WEI = 10n ** 9n

const chainId = BigInt(process.argv[2] ?? 31_337)
const context = new EdrContext()
await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
const provider = await context.createProvider(
  L1_CHAIN_TYPE,
  {
    chainId,
    networkId: chainId,
    hardfork: l1HardforkToString(SpecId.Osaka),
    allowBlocksWithSameTimestamp: false,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    coinbase: new Uint8Array(20),
    ownedAccounts: [],
    precompileOverrides: [],
    observability: {},
    defaultTransactionGasLimit: TRANSACTION_GAS,
    initialBaseFeePerGas: ONE_GWEI_WEI,
    minGasPrice: 0n,
    genesisState: l1GenesisState(SpecId.Osaka),
    mining: {
      autoMine: false,
      interval: BLOCK_EVERY_MS,
      blockGasLimit: BLOCK_GAS,
      memPool: { order: MineOrdering.Priority },
    },
    network: { genesisBlockGasLimit: BLOCK_GAS, genesisBlockTime: BigInt(Math.floor(Date.now() / 1_000)) },
  },
  { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
  { subscriptionCallback: () => {} },
  new ContractDecoder(),
)

const server = createServer((request, response) => {
  const answered = text(request).then(async (body) => {
    const asked = JSON.parse(body) as { id: unknown }
    // As Hardhat itself does for whoever leaves them out.
    const { data } = await provider.handleRequest(JSON.stringify({ params: [], ...asked }))
    const answer = typeof data === 'string' ? (JSON.parse(data) as object) : data
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...answer, jsonrpc: '2.0', id: asked.id }))
  })
  answered.catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`Listening on 127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
