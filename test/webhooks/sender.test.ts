import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import tls from 'node:tls'
import { ACKNOWLEDGE_WITHIN_MS, createSender, type SendOutcome } from '../../src/webhooks/send.ts'
import { generateWebhookSecret } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { DHE, suitesIn } from '../support/tls-greeting.ts'
import { PATIENCE_MS } from '../support/wait-for.ts'
import { type Answerer, startReceiver } from './http-receiver.ts'
import { cert, key } from './tls-identity.ts'

const requestTo = (url: string) => testRequest(url, generateWebhookSecret(), new Date()).request
const within = (timeoutMs: number) => createSender({ allowLoopback: true, timeoutMs })
const send = within(PATIENCE_MS)
const impatient = within(150)

async function receiver(answer?: Answerer) {
  const started = await startReceiver(answer)
  after(() => started.close())
  return started
}

/** A server that writes its own bytes, whatever the request. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.resume()
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function shape({ httpStatus, error, responseExcerpt }: SendOutcome) {
  return { httpStatus, error, responseExcerpt }
}

test('posts the frozen body with its headers', async () => {
  const { url, received } = await receiver()
  const request = requestTo(`${url}?tenant=1`)
  assert.deepEqual(shape(await send(request)), { httpStatus: 204, error: null, responseExcerpt: '' })
  const [first] = received
  assert.equal(first?.body, request.body)
  assert.equal(first?.path, '/hooks?tenant=1')
  assert.equal(first?.headers['content-type'], 'application/json')
  assert.equal(first?.headers['x-coin-signature'], request.signature)
  assert.equal(first?.headers.connection, 'close')
})

test('every 2xx acknowledges, nothing else does', async () => {
  let status = 200
  const { url } = await receiver((response) => response.writeHead(status).end('seen'))
  for (status of [200, 201, 202, 204, 299]) assert.equal((await send(requestTo(url))).error, null)
  for (status of [400, 404, 410, 429, 500, 503, 600]) {
    assert.deepEqual(shape(await send(requestTo(url))), {
      httpStatus: status,
      error: `http_${status}`,
      responseExcerpt: 'seen',
    })
  }
})

test('a redirect is a failure and is not followed', async () => {
  const target = await receiver()
  let status = 301
  const { url } = await receiver((response) => response.writeHead(status, { location: target.url }).end())
  for (status of [300, 301, 302, 303, 304, 307, 308]) {
    const outcome = await send(requestTo(url))
    assert.deepEqual([outcome.httpStatus, outcome.error], [status, 'redirect'])
  }
  assert.equal(target.connections(), 0)
})

test('a receiver that does not answer in time: timeout, within the five seconds of the contract by default', async () => {
  assert.equal(ACKNOWLEDGE_WITHIN_MS, 5000)
  const { url } = await receiver(() => {})
  assert.deepEqual(shape(await impatient(requestTo(url))), {
    httpStatus: null,
    error: 'timeout',
    responseExcerpt: null,
  })
  const silent = await rawServer(() => {})
  assert.equal((await impatient(requestTo(silent))).error, 'timeout')
  const trickling = await rawServer((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  assert.equal((await impatient(requestTo(trickling))).error, 'timeout')
})

test('a receiver has its whole time from when it has the request, however long connecting took; then it is over', async (t) => {
  const answered = await receiver((response) => {
    t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS - 1)
    response.writeHead(204).end()
  })
  const late = await receiver(() => t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [{ url }, error] of [
    [answered, null],
    [late, 'timeout'],
  ] as const) {
    const sending = createSender({ allowLoopback: true })(requestTo(url))
    t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS - 1)
    assert.equal((await sending).error, error)
  }
  const connecting = createSender({ allowLoopback: true })(requestTo(answered.url))
  t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS)
  assert.equal((await connecting).error, 'timeout')
  assert.equal(answered.received.length, 1)
})

test('the beginning of an endless or huge answer is kept, the rest is never read', async () => {
  let sent = 0
  const endless = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk)) sent += 65_536
    }
    socket.on('drain', pump)
    pump()
  })
  const outcome = await send(requestTo(endless))
  assert.deepEqual(shape(outcome), { httpStatus: 200, error: null, responseExcerpt: 'x'.repeat(1024) })
  assert.ok(sent < 50_000_000)
})

test('a 2xx counts although its body stalls or breaks off', async () => {
  const stalling = await rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart'))
  let outcome = await impatient(requestTo(stalling))
  // On a busy machine the status itself may come too late.
  for (const timeoutMs of [1_500, 15_000])
    if (outcome.error === 'timeout') outcome = await within(timeoutMs)(requestTo(stalling))
  assert.deepEqual(shape(outcome), { httpStatus: 200, error: null, responseExcerpt: 'part' })
  const breaking = await rawServer((socket) => socket.end('HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\npart'))
  assert.deepEqual(shape(await send(requestTo(breaking))), { httpStatus: 202, error: null, responseExcerpt: 'part' })
})

test('huge headers, nonsense, upgrades and broken connections are failures with a code', async () => {
  const cases: [(socket: Socket) => void, RegExp][] = [
    [
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`),
      /^connection_failed: HPE_HEADER_OVERFLOW$/,
    ],
    [(socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /^connection_failed: HPE_/],
    [(socket) => socket.end(), /^connection_failed: ECONNRESET$/],
    [(socket) => socket.resetAndDestroy(), /^connection_failed: (ECONNRESET|EPIPE)$/],
    [
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      /^connection_failed: UPGRADE_REFUSED$/,
    ],
  ]
  for (const [onConnection, expected] of cases) {
    const outcome = await send(requestTo(await rawServer(onConnection)))
    assert.match(outcome.error ?? '', expected)
    assert.equal(outcome.httpStatus, null)
  }
  const { url, close } = await startReceiver()
  await close()
  assert.equal((await send(requestTo(url))).error, 'connection_failed: ECONNREFUSED')
})

for (const [name, piece] of [
  ['interim answers', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
  ['blank lines', '\r\n'],
] as const) {
  test(`${name} without end are cut off, and a few before the answer change nothing`, async () => {
    const endless = await rawServer((socket) => {
      const pieces = piece.repeat(64 * 1024)
      const write = () => void (socket.destroyed || socket.write(pieces, write))
      write()
    })
    const cutOff = await send(requestTo(endless))
    assert.deepEqual([cutOff.httpStatus, cutOff.error], [null, 'connection_failed: NO_ANSWER_IN_128_KIB'])
    const few = await rawServer((socket) => {
      socket.write(piece.repeat(10))
      setTimeout(() => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), 300)
    })
    assert.equal((await send(requestTo(few))).httpStatus, 204)
  })
}

test('a body however long is no reason to cut off what was answered', async () => {
  const long = await rawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n`)
    setTimeout(() => socket.write('x'.repeat(1_000_000)), 200)
  })
  assert.deepEqual(shape(await send(requestTo(long))), {
    httpStatus: 200,
    error: null,
    responseExcerpt: 'x'.repeat(1024),
  })
})

test('certificates are verified, even when the environment says not to', async () => {
  const bodies: string[] = []
  const server = createTlsServer({ key, cert }, (request, response) => {
    request.on('data', (chunk) => bodies.push(String(chunk))).on('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)

  const unknown = await send(requestTo(`https://localhost:${port}/`))
  assert.equal(unknown.error, 'connection_failed: DEPTH_ZERO_SELF_SIGNED_CERT')
  tls.setDefaultCACertificates([cert])
  const otherName = await send(requestTo(`https://127.0.0.1:${port}/`))
  assert.equal(otherName.error, 'connection_failed: ERR_TLS_CERT_ALTNAME_INVALID')
  assert.deepEqual(bodies, [])
  const genuine = requestTo(`https://localhost:${port}/`)
  assert.equal((await send(genuine)).error, null)
  assert.deepEqual(bodies, [genuine.body])
})

test('a receiver is offered no key exchange with numbers of its own choice', async () => {
  const greetings: Buffer[] = []
  const url = await rawServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      greetings.push(chunk)
      socket.destroy()
    })
  })
  assert.match((await send(requestTo(url.replace('http:', 'https:')))).error ?? '', /^connection_failed/)
  const [greeting] = greetings
  assert.ok(greeting)
  const suites = suitesIn(greeting)
  assert.deepEqual(
    suites.filter((suite) => DHE.includes(suite)),
    [],
  )
  // TLS_AES_256_GCM_SHA384 of TLS 1.3, and TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 of 1.2.
  for (const usual of [0x1302, 0xc02f]) assert.ok(suites.includes(usual), String(suites))
})

test('certificates without end are cut off before they are checked', async () => {
  const server = createTlsServer({ key, cert: `${cert}\n`.repeat(100) }, (_request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  tls.setDefaultCACertificates([cert])
  const { error } = await send(requestTo(`https://localhost:${(server.address() as AddressInfo).port}/`))
  assert.equal(error, 'connection_failed: NO_ANSWER_IN_32_KIB')
})

test('a receiver that has no cipher in common is said to refuse the greeting', async () => {
  const server = tls.createServer({ key, cert, maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { error } = await send(requestTo(`https://localhost:${(server.address() as AddressInfo).port}/`))
  assert.equal(error, 'connection_failed: ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE')
})

test('a name that ends in a dot is asked for without it', async () => {
  const names: unknown[] = []
  const server = createTlsServer({ key, cert }, (request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  server.on('secureConnection', (socket: tls.TLSSocket) => names.push(socket.servername))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  tls.setDefaultCACertificates([cert])
  const { port } = server.address() as AddressInfo
  for (const name of ['localhost', 'localhost.']) {
    assert.equal((await send(requestTo(`https://${name}:${port}/`))).error, null)
  }
  assert.deepEqual(names, ['localhost', 'localhost'])
})

test('what TLS itself sends without end is cut off, and a little of it before the answer changes nothing', async () => {
  const limit = tls.CLIENT_RENEG_LIMIT
  Object.assign(tls, { CLIENT_RENEG_LIMIT: Number.POSITIVE_INFINITY })
  after(() => Object.assign(tls, { CLIENT_RENEG_LIMIT: limit }))
  tls.setDefaultCACertificates([cert])
  /** Greets each client anew so many times, and then answers. */
  const greeting = async (times: number) => {
    const server = tls.createServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
      const again = (left: number) => {
        if (left === 0) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
        else socket.renegotiate({}, (error) => void (error ?? setImmediate(again, left - 1)))
      }
      socket.on('error', () => {})
      socket.once('data', () => again(times))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close())
    return `https://localhost:${(server.address() as AddressInfo).port}/`
  }
  const cutOff = await send(requestTo(await greeting(1_000)))
  assert.deepEqual([cutOff.httpStatus, cutOff.error], [null, 'connection_failed: NO_ANSWER_IN_128_KIB'])
  assert.equal((await send(requestTo(await greeting(3)))).httpStatus, 204)
})
