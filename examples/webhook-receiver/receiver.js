// PORT=3000 node examples/webhook-receiver/receiver.js, with WEBHOOK_SECRET in the environment
import { existsSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { verify } from './verify.js'

const MAX_BODY_BYTES = 64 * 1024
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',').filter((secret) => secret !== '')
const storeFile = process.env.STORE ?? 'received-events.jsonl'
if (secrets.length === 0) {
  console.error('Set WEBHOOK_SECRET to the secret that was shown when the endpoint was added.')
  process.exit(1)
}

// A real receiver has a table with a unique id: an event can arrive more than once, even at the same time.
const before = existsSync(storeFile) ? readFileSync(storeFile, 'utf8') : ''
const store = await open(storeFile, 'a')
// A line that was cut off when the receiver died must not swallow the next one.
if (before !== '' && !before.endsWith('\n')) await store.appendFile('\n')
/** Id → when it is safely stored. @type {Map<string, Promise<void>>} */
const known = new Map(before.split('\n').flatMap((line) => idIn(line).map((id) => [id, Promise.resolve()])))

/**
 * The id in a whole line; none in one that was cut off, which was not acknowledged and comes again.
 * @param {string} line
 * @returns {string[]}
 */
function idIn(line) {
  try {
    return [JSON.parse(line).id]
  } catch {
    return []
  }
}

/**
 * Keeps an event and returns when it is safely stored; false when it was there before.
 * @param {{ id: string }} event
 */
async function keep(event) {
  const stored = known.get(event.id)
  if (stored !== undefined) {
    await stored
    return false
  }
  const storing = store.appendFile(`${JSON.stringify(event)}\n`).then(() => store.sync())
  known.set(event.id, storing)
  try {
    await storing
  } catch (error) {
    known.delete(event.id)
    throw error
  }
  return true
}

/**
 * The bytes of a body; undefined when there are too many.
 * @param {import('node:http').IncomingMessage} request
 */
async function bodyOf(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function receive(request, response) {
  const rawBody = await bodyOf(request)
  const event = rawBody && verify(rawBody, String(request.headers['x-coin-signature']), secrets)
  if (event === undefined) {
    response.writeHead(rawBody === undefined ? 413 : 400, { connection: 'close' }).end()
    console.error('Refused: not signed with this secret within 300 seconds, or too long.')
    return
  }
  const isNew = await keep(event)
  response.writeHead(204).end() // only now, and within 5 seconds; the work comes afterwards
  if (!isNew) return
  // A webhook is a hint: read the order through the API before crediting anyone.
  console.log(event.type, event.data.referenceId, event.data.status, event.data.amounts.coin)
}

const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
  receive(request, response).catch((error) => {
    console.error(error.message) // not kept, so not acknowledged: it comes again
    response.destroy()
  })
})

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`Listening on http://127.0.0.1:${address.port}/`)
})
