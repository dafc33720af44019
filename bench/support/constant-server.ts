/** What constant.ts starts: Fastify with a constant JSON text for an answer, and no checks. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

const text = process.argv[2] ?? ''
const JSON_TYPE = 'application/json; charset=utf-8'
const app = Fastify()
app.get('/v1/transactions/:referenceId', (_request, reply) => reply.header('content-type', JSON_TYPE).send(text))
app.post('/v1/mints', (_request, reply) => reply.code(201).header('content-type', JSON_TYPE).send(text))
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(`port ${(app.server.address() as AddressInfo).port}`)
