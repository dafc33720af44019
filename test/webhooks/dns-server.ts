/** A name server on 127.0.0.1 that answers A and AAAA questions from a function. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

const HEADER_BYTES = 12
const TYPE_A = 1
const TYPE_AAAA = 28

export type DnsServer = { address: string; questions: { name: string; type: 'A' | 'AAAA' }[]; close(): void }

/** @param addressesOf a name's addresses, asked anew for every question; undefined: never answers */
export async function startDnsServer(
  addressesOf: (name: string, type: 'A' | 'AAAA') => string[] | undefined,
): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const questions: DnsServer['questions'] = []
  socket.on('message', (query, peer) => {
    const { name, end, type } = readQuestion(query)
    if (type !== TYPE_A && type !== TYPE_AAAA) return
    const kind = type === TYPE_A ? 'A' : 'AAAA'
    questions.push({ name, type: kind })
    const addresses = addressesOf(name, kind)
    if (addresses !== undefined) socket.send(answer(query, end, type, addresses), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, questions, close: () => socket.close() }
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) }
}

/** RFC 1035 section 4: the question again, then one record per address of the type asked for. */
function answer(query: Buffer, end: number, type: number, addresses: string[]): Buffer {
  const bytes = addresses
    .map((address) => Buffer.from(ipaddr.parse(address).toByteArray()))
    .filter((data) => data.length === (type === TYPE_A ? 4 : 16))
  const header = Buffer.from(query.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(bytes.length, 6)
  header.writeUInt32BE(0, 8)
  const records = bytes.map((data) => {
    const record = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records])
}
