// WEBHOOK_SECRET='whsec_…' PORT=3000 node examples/webhook-receiver/receiver.ts
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from './verify.ts'

const secret = process.env.WEBHOOK_SECRET
if (secret === undefined)
  throw new Error('Set WEBHOOK_SECRET to the secret that was shown when the endpoint was added.')

// A real receiver keeps the ids it has handled in its database: an event can arrive more than once.
const handled = new Set<string>()

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const rawBody = await buffer(request)
  const event = verify(rawBody, String(request.headers['x-coin-signature']), secret as string)
  response.writeHead(event === undefined ? 400 : 204).end() // within 5 seconds; the work comes after
  if (event === undefined || handled.has(event.id)) return
  handled.add(event.id)
  // A webhook is a hint: read the order through the API before crediting anyone.
  console.log(event.type, event.data.referenceId, event.data.status, event.data.amounts.coin)
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy())
})

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`Listening on http://127.0.0.1:${address.port}/`)
})
