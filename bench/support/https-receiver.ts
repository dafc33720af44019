/** A partner's end of webhooks, in a process of its own: takes each POST whole and acknowledges it. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { cert, key } from '../../test/webhooks/tls-identity.ts'

const server = createServer({ key, cert }, (request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})
// A name with two addresses has a quarter of a second for its first: the second one must answer, too.
server.listen(0, '::', () => console.log(`port ${(server.address() as AddressInfo).port}`))
