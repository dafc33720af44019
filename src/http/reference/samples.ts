/** Each operation as a command and as a call of the client, to be pasted: what differs by partner comes from the environment. */
import { FILLED } from './code.ts'

/** Values of the document's examples that a partner has its own of → where its own stands. */
export type Own = ReadonlyMap<string, string>

export type Sample = { language: 'sh' | 'ts'; code: string }

type Asked = {
  operationId: string
  method: string
  /** Below `/v1`, with its parameters as variables of a shell. */
  path: string
  needsKey: boolean
  /** The example of a body, its own values being variables of a shell. */
  body: unknown
}

const CLIENT = `import { createClient } from 'stablecoin-partner-sdk'

const coin = createClient({ baseUrl: process.env.COIN_API ?? '', apiKey: process.env.COIN_KEY ?? '' })
`
/** Those that a sandbox can fill in, and the reference that a sample makes. */
const VARIABLE = new RegExp(`\\$(${[...FILLED, 'REF'].join('|')})\\b`, 'g')

/** Operation → what a program does with the client; `BODY` is the example. */
const CALLS: Readonly<Record<string, string>> = {
  getHealth: 'const { status } = await coin.health()\nconsole.log(status)',
  getServerTime: 'const { serverTime } = await coin.time()\nconsole.log(serverTime)',
  getConfig: 'const { defaultChainId, chains } = await coin.config()\nconsole.log(defaultChainId, chains.length)',
  listTokens: 'const { tokens } = await coin.tokens()\nconsole.log(tokens[0]?.tokenAddress)',
  createMint: 'const order = await coin.mints.create(BODY)\nconsole.log(order.referenceId, order.status)',
  getMint: "const order = await coin.mints.get(process.env.REF ?? '')\nconsole.log(order.status)",
  cancelMint: "const order = await coin.mints.cancel(process.env.REF ?? '')\nconsole.log(order.status)",
  createRedeem: 'const order = await coin.redeems.create(BODY)\nconsole.log(order.referenceId, order.status)',
  getRedeem: "const order = await coin.redeems.get(process.env.REF ?? '')\nconsole.log(order.status)",
  createTransfer: 'const order = await coin.transfers.create(BODY)\nconsole.log(order.referenceId, order.status)',
  getTransfer: "const order = await coin.transfers.get(process.env.REF ?? '')\nconsole.log(order.status)",
  listTransactions:
    "for await (const order of coin.transactions.all({ direction: 'MINT' })) console.log(order.referenceId, order.status)",
  getTransaction:
    "const order = await coin.transactions.get(process.env.REFERENCE ?? '')\nconsole.log(order.direction, order.status)",
  listEvents:
    'for await (const page of coin.events.pages({ limit: 100 }))\n  for (const { type, data } of page.events) console.log(type, data.referenceId)',
  getBalances:
    "const { balances } = await coin.balances.get(process.env.WALLET ?? '')\nfor (const { network, balance } of balances) console.log(network, balance)",
  getCustomer:
    "const customer = await coin.customers.get(process.env.CUSTOMER ?? '')\nconsole.log(customer.verification.status)",
  getCorporate:
    "const corporate = await coin.corporates.get(process.env.CORPORATE ?? '')\nconsole.log(corporate.verification.status)",
}

/** The samples of an operation, the command first. The client has no call for what only a sandbox serves. */
export function samplesOf(asked: Asked): Sample[] {
  const call = CALLS[asked.operationId]
  const program = call?.replace('BODY', () => objectOf(asked))
  return [
    { language: 'sh', code: commandOf(asked) },
    ...(program === undefined ? [] : [{ language: 'ts' as const, code: `${CLIENT}\n${program}` }]),
  ]
}

/** The example with the variables of a shell where a partner has its own values. */
export function withOwn(value: unknown, own: Own, field = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withOwn(one, own))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withOwn(inner, own, name)]))
  return own.get(field) ?? value
}

function commandOf({ method, path, needsKey, body, operationId }: Asked): string {
  const lines = [`curl -s "$COIN_API${path}"`]
  if (needsKey) lines.push('-H "Authorization: Bearer $COIN_KEY"')
  if (method !== 'POST') return lines.join(' \\\n  ')
  const text = JSON.stringify(body, null, 2)
  const isNew = !path.includes('$REF')
  lines.push(`-H "Idempotency-Key: $REF${isNew ? '' : '-cancel'}"`, "-H 'Content-Type: application/json'")
  lines.push(text === '{}' ? "-d '{}'" : `-d @- <<JSON\n${hereDocument(text)}\nJSON`)
  const name = operationId.replace(/^(create|makeSandbox|repeatSandbox|disturbSandbox)/, '').toLowerCase()
  return `${isNew ? `export REF=${name}-$(date +%s)\n` : ''}${lines.join(' \\\n  ')}`
}

/** Text that a shell reads as it is, but for the variables above. */
function hereDocument(text: string): string {
  const at = [...text.matchAll(VARIABLE)]
  const plain = (part: string) => part.replace(/[\\`$]/g, '\\$&')
  let out = ''
  let from = 0
  for (const { 0: name, index } of at) {
    out += plain(text.slice(from, index)) + name
    from = index + name.length
  }
  return out + plain(text.slice(from))
}

/** The body as TypeScript writes it. */
function objectOf({ body, operationId }: Asked): string {
  const name = operationId.replace('create', '').toLowerCase()
  const lines = Object.entries(body as Record<string, unknown>).map(([field, value]) => {
    // Two orders of one millisecond must not get one reference: the second would be answered with the first.
    if (value === '$REF') return `  ${field}: \`${name}-\${crypto.randomUUID()}\`,`
    const variable = typeof value === 'string' ? /^\$([A-Z]+)$/.exec(value)?.[1] : undefined
    return `  ${field}: ${variable === undefined ? literal(value) : `process.env.${variable} ?? ''`},`
  })
  return `{\n${lines.join('\n')}\n}`
}

function literal(value: unknown): string {
  return typeof value === 'string' && !/['\\\n]/.test(value) ? `'${value}'` : JSON.stringify(value)
}
