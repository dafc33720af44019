import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSieve } from './direct-answers.ts'

const ROW = 0x44
const END = 0x5a
const ERROR = 0x45
const TAKEN = [0x32, 0x43, ROW]

const message = fc.record({
  type: fc.constantFrom(...TAKEN, END, ERROR, 0x54, 0x53),
  body: fc.uint8Array({ maxLength: 300 }),
})

function bytesOf({ type, body }: { type: number; body: Uint8Array }): Buffer {
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Gives all bytes in chunks, each overwritten after it was given. */
function give(onData: (bytes: Buffer) => void, all: Buffer, cuts: readonly number[]): void {
  let at = 0
  for (const length of [...cuts, all.length]) {
    const chunk = Buffer.from(all.subarray(at, at + length))
    if (chunk.length > 0) onData(chunk)
    chunk.fill(0xee)
    at += length
  }
}

/** What reaches the taker and node-postgres, in its order, however the messages are cut. */
function sieve(messages: readonly Buffer[], cuts: readonly number[], takesEnd: boolean): string[] {
  const seen: string[] = []
  const taking: Parameters<typeof createSieve>[0] = {
    taker: {
      takeRow: (bytes, start, end) => seen.push(`row ${bytes.toString('hex', start, end)}`),
      takeEnd() {
        if (takesEnd) seen.push('end')
        return takesEnd
      },
    },
  }
  let passed: Buffer = Buffer.alloc(0)
  const onData = createSieve(taking, (bytes) => {
    passed = bytes
    for (let at = 0; at < passed.length; at += 1 + passed.readUInt32BE(at + 1)) {
      const whole = passed.subarray(at, at + 1 + passed.readUInt32BE(at + 1))
      seen.push(`passed ${whole.toString('hex')}`)
      // As an error does.
      if (whole[0] === ERROR) taking.taker = undefined
    }
  })
  give(onData, Buffer.concat(messages), cuts)
  return seen
}

function expected(messages: readonly Buffer[], takesEnd: boolean): string[] {
  let taking = true
  return messages.flatMap((bytes) => {
    const type = bytes[0] as number
    if (taking && type === ROW) return [`row ${bytes.toString('hex', 5)}`]
    if (taking && TAKEN.includes(type)) return []
    if (taking && takesEnd && type === END) return ['end']
    if (type === ERROR) taking = false
    return [`passed ${bytes.toString('hex')}`]
  })
}

test('rows and ends are taken, and everything else is passed on whole and in its order, however it is cut', () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat(50)), fc.boolean(), (list, cuts, takesEnd) => {
      const messages = list.map(bytesOf)
      assert.deepEqual(sieve(messages, cuts, takesEnd), expected(messages, takesEnd))
    }),
  )
})

test('without a taker everything is passed on', () => {
  const messages = [ROW, END, 0x43].map((type) => bytesOf({ type, body: Uint8Array.of(1) }))
  const passed: Buffer[] = []
  give(
    createSieve({ taker: undefined }, (bytes) => passed.push(bytes)),
    Buffer.concat(messages),
    [3, 4],
  )
  assert.deepEqual(Buffer.concat(passed), Buffer.concat(messages))
})
