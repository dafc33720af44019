/** `npm run demo`: tells the whole story against the running sandbox and shows live what happens on chain. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { loadConfig } from '../config.ts'
import { describeStartFailure, StartError } from '../start/start-failure.ts'
import { type ApiClient, createApiClient } from './demo/api-client.ts'
import { openBooks, showBooks } from './demo/books.ts'
import { createChainView } from './demo/chain-view.ts'
import { createPrinter, type Printer } from './demo/printer.ts'
import { type Person, tellStory } from './demo/story.ts'
import { type DemoData, KEY_FILE } from './demo-data.ts'

type ConfigAnswer = {
  chains: { name: string; chainId: number; confirmations: number; coin: { address: `0x${string}` } }[]
}

try {
  const { host, port, dataDir, operatorHost, operatorPort, operatorToken } = loadConfig(process.env)
  const origin = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`
  await checkItAnswers(origin)
  const demo = JSON.parse(readKeptFile(dataDir, 'demo.json')) as DemoData
  const api = createApiClient(`${origin}/v1`, readKeptFile(dataDir, KEY_FILE).trim())
  const printer = createPrinter((line) => console.log(line))
  const onChain = await run(api, rpcUrlOf(dataDir), demo, printer)
  const token = operatorToken ?? readKeptFile(dataDir, 'operator-token').trim()
  const inBooks = await tellBooks(printer, `http://${operatorHost}:${operatorPort}`, token)
  console.log('')
  process.exitCode = onChain && inBooks ? 0 : 1
} catch (error) {
  console.error(describeStartFailure(error))
  process.exitCode = 1
}

async function run(api: ApiClient, rpcUrl: string, demo: DemoData, printer: Printer): Promise<boolean> {
  const [chain] = (await api.get<ConfigAnswer>('/config')).chains
  if (chain === undefined) throw new StartError('The service has no chain.')
  console.log(`\n   ${chain.name} (chain ${chain.chainId}), coin ${chain.coin.address}`)
  return await tellStory({
    api,
    printer,
    chain: createChainView(rpcUrl, chain.coin.address),
    confirmations: chain.confirmations,
    customer: personOf(demo, 'resident'),
    recipient: personOf(demo, 'enterprise'),
  })
}

/** The end of the story is told where the operator API answers. */
async function tellBooks(printer: Printer, operatorUrl: string, token: string): Promise<boolean> {
  const books = await openBooks(operatorUrl, token)
  if (books !== undefined) return await showBooks(printer, books)
  printer.note('What the bank says of all this: npm run -s coin -- bank statements')
  return true
}

async function checkItAnswers(origin: string): Promise<void> {
  const answers = await fetch(`${origin}/v1/health`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  )
  if (answers) return
  throw new StartError(
    `No sandbox answers at ${origin}. Start one with \`npm start\`, with the same PORT and DATA_DIR.`,
  )
}

function readKeptFile(dataDir: string, name: string): string {
  const file = path.join(dataDir, name)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  throw new StartError(
    `There is no ${file}. The demo needs a sandbox with its own chain; set DATA_DIR as for \`npm start\`.`,
  )
}

function rpcUrlOf(dataDir: string): string {
  const { port } = JSON.parse(readKeptFile(dataDir, 'chain-process.json')) as { port: number }
  return `http://127.0.0.1:${port}`
}

function personOf(demo: DemoData, name: string): Person {
  const found = demo.customers.find((customer) => customer.case === name)
  if (found?.walletAddress === undefined) throw new StartError(`The demo data has no customer "${name}".`)
  return { customerId: found.customerId, walletAddress: found.walletAddress }
}
