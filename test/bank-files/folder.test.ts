/** The folders that are shared with the bank's transport. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { contentHashOf } from '../../src/bank-files/definitions.ts'
import {
  INCOMING_BOUNDS,
  type IncomingBounds,
  type IncomingFile,
  type Taken,
  takeIncoming,
  type Unread,
} from '../../src/bank-files/folder/incoming.ts'
import { type FileOps, type Folders, prepareFolders } from '../../src/bank-files/folder/layout.ts'
import { listOpenToAll } from '../../src/bank-files/folder/open-to-all.ts'
import { handOver, listPaymentFiles, readPaymentFileBytes } from '../../src/bank-files/folder/outgoing.ts'
import { writeNew } from '../../src/bank-files/folder/write-new.ts'
import { readBankFile } from '../../src/bank-files/read-bank-file.ts'
import { recogniseRepeat } from '../../src/bank-files/repeat.ts'
import { bytesOf, DEBTOR, PROFILE, payment, paymentFileBytes, RULES } from '../support/bank-files.ts'
import { createFakeBank } from '../support/fake-bank/bank.ts'
import { SPOILS } from '../support/fake-bank/spoil.ts'
import { temporaryFolder } from '../support/temp.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

async function folders(): Promise<Folders> {
  return prepareFolders(fs, temporaryFolder('folders'))
}

/** Of a process that may still put it out. */
const put = (there: Folders, each: ReturnType<typeof file>, ops: FileOps = fs) =>
  handOver(ops, there, each, async () => {})
const file = (number: number, text = 'x') => ({
  messageId: `COIN-${String(number).padStart(8, '0')}`,
  bytes: bytesOf(text),
})

test('nobody beside the owner and its group can look into the folders or a payment file', async () => {
  const there = await folders()
  await put(there, file(1))
  const outFile = path.join(there.out, 'COIN-00000001.xml')
  for (const [name, most] of [
    ...Object.values(there).map((folder) => [folder, 0o750] as const),
    [outFile, 0o640],
  ] as const) {
    assert.equal((await fs.stat(name)).mode & 0o777 & ~most, 0, name)
  }
})

test('a payment file is put out and kept; the same again changes nothing; another under its number is refused', async () => {
  const there = await folders()
  assert.deepEqual(await put(there, file(1)), { result: 'handed_over' })
  assert.deepEqual(await put(there, file(1)), { result: 'already_handed_over' })
  assert.deepEqual(await put(there, file(1, 'other')), {
    result: 'number_taken',
    contentHash: contentHashOf(bytesOf('x')),
  })
  assert.equal(readFileSync(path.join(there.out, 'COIN-00000001.xml'), 'utf8'), 'x')
  assert.equal(readFileSync(path.join(there.kept, 'COIN-00000001.xml'), 'utf8'), 'x')
})

test('our copy is not the file that the transport touches', async () => {
  const there = await folders()
  await put(there, file(1, 'whole'))
  truncateSync(path.join(there.out, 'COIN-00000001.xml'))
  assert.equal(readFileSync(path.join(there.kept, 'COIN-00000001.xml'), 'utf8'), 'whole')
})

test('a file that was put out without us is never overwritten, nor followed by one of its number', async () => {
  for (const where of ['out', 'taken'] as const) {
    const there = await folders()
    writeFileSync(path.join(there[where], 'COIN-00000001.xml'), 'theirs')
    assert.equal((await put(there, file(1))).result, 'number_taken')
    assert.equal(readFileSync(path.join(there[where], 'COIN-00000001.xml'), 'utf8'), 'theirs')
    assert.deepEqual(readdirSync(there.kept), [])
  }
})

test('what is no file under a number that comes next is named, and waited for by nobody', {
  timeout: 60_000,
}, async () => {
  for (const folder of ['out', 'taken', 'kept'] as const) {
    const there = await folders()
    const name = path.join(there[folder], 'COIN-00000001.xml')
    execFileSync('mkfifo', [name])
    // Whoever waits for the pipe reads its end, so that a failure does not wait for ever.
    const ends = setInterval(() => {
      try {
        closeSync(openSync(name, constants.O_WRONLY | constants.O_NONBLOCK))
      } catch {} // nobody reads it
    }, 1_000)
    const said = { name: 'NotAFileError', message: /COIN-00000001\.xml is no file of its own/ }
    await assert.rejects(put(there, file(1)), said, folder)
    await assert.rejects(listPaymentFiles(fs, there, { prefix: 'COIN', after: 0 }), said, folder)
    clearInterval(ends)
    await fs.unlink(name)
    assert.deepEqual(await put(there, file(1)), { result: 'handed_over' })
  }
})

test('a file under a number that comes next is told from ours however long it is', async () => {
  const there = await folders()
  const name = path.join(there.out, 'COIN-00000001.xml')
  writeFileSync(name, '')
  // It takes no room on the disk, and no process could hold it.
  truncateSync(name, 2 ** 40)
  assert.equal((await put(there, file(1))).result, 'number_taken')
  const listed = await listPaymentFiles(fs, there, { prefix: 'COIN', after: 0 })
  assert.deepEqual(
    listed.map(({ messageId, isPutOut }) => [messageId, isPutOut]),
    [['COIN-00000001', true]],
  )
})

test('many writers of one number: one of them wins, and only its file is there', async () => {
  const there = await folders()
  const texts = Array.from({ length: 8 }, (_, index) => `file ${index % 4}`)
  const results = await Promise.all(texts.map((text) => put(there, file(1, text))))
  const won = readFileSync(path.join(there.out, 'COIN-00000001.xml'), 'utf8')
  texts.forEach((text, index) => {
    const result = results[index]?.result
    assert.ok(text === won ? result !== 'number_taken' : result === 'number_taken', `${text}: ${result}`)
  })
  assert.equal(results.filter(({ result }) => result === 'handed_over').length, 1)
})

test('the transport may move a file at any moment without a second one appearing', async () => {
  for (let moveAt = 1; moveAt <= 40; moveAt += 1) {
    const there = await folders()
    await put(there, file(1))
    let count = 0
    const moving = (): void => {
      count += 1
      if (count === moveAt)
        renameSync(path.join(there.out, 'COIN-00000001.xml'), path.join(there.taken, 'COIN-00000001.xml'))
    }
    const ops = new Proxy(fs, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          moving()
          return value.apply(target, args)
        }
      },
    }) as FileOps
    assert.equal((await put(there, file(1), ops)).result, 'already_handed_over', `moved at ${moveAt}`)
    assert.equal(
      readdirSync(there.out).filter((name) => name.endsWith('.xml')).length + readdirSync(there.taken).length,
      1,
    )
  }
})

test('payment files numbered above a given one are listed and read back', async () => {
  const there = await folders()
  for (const number of [1, 2, 3]) await put(there, file(number, `file ${number}`))
  renameSync(path.join(there.out, 'COIN-00000002.xml'), path.join(there.taken, 'COIN-00000002.xml'))
  await writeNew(fs, there.kept, 'COIN-00000004.xml', bytesOf('file 4'), async () => {})
  for (const name of ['COIN-5.xml', 'OTHER-00000009.xml', '.COIN-00000009.xml.part', 'COIN-00000009.xml.tmp'])
    writeFileSync(path.join(there.out, name), '')
  const listed = await listPaymentFiles(fs, there, { prefix: 'COIN', after: 1 })
  assert.deepEqual(
    listed.map(({ messageId, isKept, isPutOut }) => [messageId, isKept, isPutOut]),
    [
      ['COIN-00000002', true, true],
      ['COIN-00000003', true, true],
      ['COIN-00000004', true, false],
    ],
  )
  assert.equal(listed[0]?.contentHash, contentHashOf(bytesOf('file 2')))
  for (const number of [2, 4]) {
    const bytes = await readPaymentFileBytes(fs, there, `COIN-0000000${number}`)
    assert.equal(Buffer.from(bytes ?? []).toString(), `file ${number}`)
  }
  assert.equal(await readPaymentFileBytes(fs, there, 'COIN-00000009'), undefined)
})

const BOUNDS: IncomingBounds = { ...INCOMING_BOUNDS, minAgeMs: 0 }

async function takeAll(
  there: Folders,
  take: (file: IncomingFile) => Promise<Taken>,
  bounds = BOUNDS,
  now = new Date(Date.now() + 1_000),
) {
  return takeIncoming({ fs, folders: there, now: () => now, bounds }, take)
}

const applied = async (): Promise<Taken> => ({ result: 'applied' })

test('only complete plain files are taken, in the order of their names', async () => {
  const there = await folders()
  for (const name of ['b.xml', 'a.xml', '.hidden.xml', 'c d&é.xml']) writeFileSync(path.join(there.in, name), name)
  await fs.mkdir(path.join(there.in, 'folder'))
  symlinkSync('/etc/hostname', path.join(there.in, 'link.xml'))
  const taken = await takeAll(there, applied)
  assert.deepEqual(
    taken.map(({ name }) => name),
    ['a.xml', 'b.xml', 'c_d__.xml'],
  )
  assert.deepEqual(readdirSync(there.in).sort(), ['.hidden.xml', 'folder', 'link.xml'])
  assert.ok(readdirSync(there.done).includes(`${contentHashOf(bytesOf('a.xml'))}-a.xml`))
})

test('a file that the transport may still be writing waits', async () => {
  const there = await folders()
  writeFileSync(path.join(there.in, 'a.xml'), 'half')
  utimesSync(path.join(there.in, 'a.xml'), NOW, NOW)
  const at = (ms: number) => takeAll(there, applied, INCOMING_BOUNDS, new Date(NOW.getTime() + ms))
  for (const ms of [9_999, -9_999]) assert.deepEqual(await at(ms), [])
  assert.equal((await at(10_000)).length, 1)
})

test('a file whose time is to come, because its sender is in another zone, is taken now', async () => {
  const there = await folders()
  const later = new Date(NOW.getTime() + 8 * 3_600_000)
  writeFileSync(path.join(there.in, 'a.xml'), 'whole')
  utimesSync(path.join(there.in, 'a.xml'), later, later)
  assert.equal((await takeAll(there, applied, INCOMING_BOUNDS, NOW)).length, 1)
})

test('files beyond the bounds are set aside unread, or wait', async () => {
  const there = await folders()
  writeFileSync(path.join(there.in, 'a.xml'), 'x'.repeat(101))
  writeFileSync(path.join(there.in, 'b.xml'), 'x'.repeat(100))
  writeFileSync(path.join(there.in, 'c.xml'), 'x')
  const seen: number[] = []
  const count = async ({ bytes }: IncomingFile): Promise<Taken> => {
    seen.push(bytes.byteLength)
    return { result: 'applied' }
  }
  const bounds = { maxBytes: 100, maxFiles: 2, minAgeMs: 0 }
  assert.deepEqual(
    (await takeAll(there, count, bounds)).map(({ result }) => result),
    ['refused', 'applied'],
  )
  assert.deepEqual(readdirSync(there.in), ['c.xml'])
  assert.deepEqual(
    (await takeAll(there, count, bounds)).map(({ result }) => result),
    ['applied'],
  )
  assert.deepEqual(seen, [100, 1])
  assert.equal(readdirSync(there.setAside).length, 2)
})

test('of a file that is set aside unread the reason is kept first; where that fails, the file stays for the next run', async () => {
  const there = await folders()
  writeFileSync(path.join(there.in, 'a.xml'), 'x'.repeat(101))
  const deps = { fs, folders: there, now: () => new Date(), bounds: { ...BOUNDS, maxBytes: 100 } }
  const failing = async () => {
    throw new Error('no database')
  }
  const [left] = await takeIncoming({ ...deps, keepUnread: failing }, applied)
  assert.deepEqual([left?.result, readdirSync(there.setAside)], ['left', []])
  const kept: Unread[] = []
  const [refused] = await takeIncoming({ ...deps, keepUnread: async (file) => void kept.push(file) }, applied)
  assert.equal(refused?.result, 'refused')
  assert.deepEqual(
    kept.map(({ name, contentHash, refusal }) => [name, /^[0-9a-f]{64}$/.test(contentHash), refusal.code]),
    [['a.xml', true, 'too_large']],
  )
})

test('a reason whose writer was killed is gone from what is set aside an hour later', async () => {
  const there = await folders()
  const left = `.a.xml.reason.json.${randomUUID()}.part`
  writeFileSync(path.join(there.setAside, left), '{')
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
  await takeAll(there, applied, BOUNDS, inMinutes(59))
  assert.deepEqual(readdirSync(there.setAside), [left])
  await takeAll(there, applied, BOUNDS, inMinutes(61))
  assert.deepEqual(readdirSync(there.setAside), [])
})

test('a file that fails stays for the next run and does not stop the others', async () => {
  const there = await folders()
  for (const name of ['a.xml', 'b.xml']) writeFileSync(path.join(there.in, name), name)
  const failing = async ({ name }: IncomingFile): Promise<Taken> => {
    if (name === 'a.xml') throw new Error('no database')
    return { result: 'applied' }
  }
  const results = async (take: typeof failing) => (await takeAll(there, take)).map(({ result }) => result)
  assert.deepEqual(await results(failing), ['left', 'applied'])
  writeFileSync(path.join(there.in, 'a.xml'), 'another of that name')
  assert.deepEqual(await results(failing), ['left', 'left'])
  assert.deepEqual(await results(applied), ['applied', 'applied'])
  assert.equal(readdirSync(there.done).length, 3)
})

test('files are taken by name, one claimed at a time, also those that an earlier run has left', async () => {
  const there = await folders()
  const names = ['1', '2', '3', '4', '5', '6', '7', '8'].map((day) => `2026-11-0${day}.xml`)
  for (const name of names) writeFileSync(path.join(there.in, name), name)
  const claimed: number[] = []
  const failing = async (): Promise<Taken> => {
    claimed.push(readdirSync(there.working).length)
    throw new Error('no database')
  }
  await takeAll(there, failing)
  // A process that is killed leaves no more behind than what it was reading.
  assert.deepEqual(claimed, [1, 2, 3, 4, 5, 6, 7, 8])
  // A bank's statement from before the first one that was taken is refused.
  assert.deepEqual(
    (await takeAll(there, applied)).map(({ name }) => name),
    names,
  )
})

test('what cannot be read stays, and does not stop the others', async () => {
  const there = await folders()
  mkdirSync(path.join(there.working, '0.a-folder-of-somebody'))
  for (const name of ['a.xml', 'b.xml']) writeFileSync(path.join(there.in, name), name)
  const open: FileOps['open'] = async (file, ...how) => {
    if (String(file).endsWith('a.xml')) throw Object.assign(new Error('not ours'), { code: 'EACCES' })
    return await fs.open(file, ...how)
  }
  const deps = { fs: { ...fs, open }, folders: there, now: () => new Date(Date.now() + 1_000), bounds: BOUNDS }
  const results = async () => (await takeIncoming(deps, applied)).map(({ name, result }) => [name, result])
  const left = [
    ['a-folder-of-somebody', 'left'],
    ['a.xml', 'left'],
  ]
  assert.deepEqual(await results(), [...left, ['b.xml', 'applied']])
  assert.deepEqual(await results(), left)
})

test('what takes the place of a file once that was looked at is neither followed nor waited for', {
  timeout: 60_000,
}, async () => {
  const there = await folders()
  const elsewhere = path.join(temporaryFolder('elsewhere'), 'secret.env')
  writeFileSync(elsewhere, 'of the service alone')
  const swap: Record<string, (name: string) => void> = {
    'a-link.xml': (name) => symlinkSync(elsewhere, name),
    'a-pipe.xml': (name) => execFileSync('mkfifo', [name]),
  }
  for (const name of [...Object.keys(swap), 'b.xml']) writeFileSync(path.join(there.in, name), name)
  // As somebody does who may write into the folder, and is told by the system of each look at it.
  const lstat = async (file: string) => {
    const stats = await fs.lstat(file)
    const put = swap[path.basename(file)]
    if (put !== undefined && path.dirname(file) === there.in) {
      await fs.unlink(file)
      put(file)
    }
    return stats
  }
  const deps = {
    fs: { ...fs, lstat: lstat as FileOps['lstat'] },
    folders: there,
    now: () => new Date(Date.now() + 1_000),
    bounds: BOUNDS,
  }
  const read: string[] = []
  const take = async ({ name }: IncomingFile): Promise<Taken> => {
    read.push(name)
    return { result: 'applied' }
  }
  const ends = openEnds(there)
  for (const expected of [
    { 'a-link.xml': 'left', 'a-pipe.xml': 'left', 'b.xml': 'applied' },
    { 'a-link.xml': 'left', 'a-pipe.xml': 'left' },
  ]) {
    const taken = await takeIncoming(deps, take)
    assert.deepEqual(Object.fromEntries(taken.map(({ name, result }) => [name, result])), expected)
    for (const each of taken) if (each.result === 'left') assert.match(String(each.error), /is no file of its own/)
  }
  clearInterval(ends)
  assert.deepEqual(read, ['b.xml'])
})

/** Whoever waits for a pipe reads its end, so that a failure does not wait for ever. */
function openEnds(there: Folders): NodeJS.Timeout {
  return setInterval(() => {
    for (const folder of [there.in, there.working])
      for (const name of readdirSync(folder))
        try {
          if (name.endsWith('pipe.xml'))
            closeSync(openSync(path.join(folder, name), constants.O_WRONLY | constants.O_NONBLOCK))
        } catch {} // nobody reads it
  }, 1_000)
}

test('good, repeated, foreign and broken files of a bank all find their place', async () => {
  const there = await folders()
  const bank = createFakeBank({
    seed: '5',
    profile: PROFILE,
    account: DEBTOR.account,
    openingSen: 10n ** 9n,
    day: '2026-11-20',
  })
  bank.receive(paymentFileBytes([payment(1), payment(2)]))
  const [report, statement] = [bank.report('COIN-00000001'), bank.closeDay()]
  const files: Record<string, [string, string]> = {
    '01-report.xml': [report, 'applied'],
    '02-statement.xml': [statement, 'applied'],
    '03-statement-again.xml': [statement, 'repeated'],
    '04-same-id.xml': [statement.replace('18:00:00', '18:00:01'), 'repeated as refused'],
    '05-foreign.xml': [bank.foreignStatement(), 'foreign'],
    '06-truncated.xml': [SPOILS.truncated.spoil(statement), 'malformed'],
    '07-payment-file.xml': [Buffer.from(paymentFileBytes([payment(3)])).toString(), 'unknown_message'],
  }
  for (const [name, [text]] of Object.entries(files)) writeFileSync(path.join(there.in, name), text)
  const known: { definition: string; messageId: string; contentHash: string }[] = []
  const taken = await takeAll(there, async ({ bytes }): Promise<Taken> => {
    const read = readBankFile(bytes, RULES)
    if (!read.ok) return { result: 'refused', refusal: read.refusal }
    const { identity } = read.value.kind === 'status_report' ? read.value.report : read.value.file
    const repeat = recogniseRepeat(known, identity)
    if (!repeat.ok) return { result: 'refused', refusal: repeat.refusal }
    if (repeat.value === 'same_file') return { result: 'repeated' }
    known.push(identity)
    return { result: 'applied' }
  })
  assert.deepEqual(
    taken.map((one) =>
      one.result === 'refused'
        ? one.refusal.code === 'repeated'
          ? 'repeated as refused'
          : one.refusal.code
        : one.result,
    ),
    Object.values(files).map(([, expected]) => expected),
  )
  assert.deepEqual([readdirSync(there.in), readdirSync(there.working)], [[], []])
  assert.equal(readdirSync(there.done).length, 3)
  assert.equal(readdirSync(there.setAside).length, 8)
})

test('a folder to which every user of the machine may write is named, and no other', async () => {
  const root = temporaryFolder('open')
  assert.deepEqual(await listOpenToAll(fs, path.join(root, 'missing')), [])
  const made = await prepareFolders(fs, root)
  assert.deepEqual(await listOpenToAll(fs, root), [])
  await fs.chmod(made.in, 0o777)
  await fs.chmod(made.kept, 0o775)
  assert.deepEqual(await listOpenToAll(fs, root), [made.in])
  await fs.chmod(root, 0o1777)
  assert.deepEqual(await listOpenToAll(fs, root), [root, made.in])
})

test('of a folder that is a link, as to what the transport has mounted, that counts to which it leads', {
  skip: process.platform === 'win32',
}, async () => {
  const root = temporaryFolder('linked')
  const made = await prepareFolders(fs, root)
  const mounted = temporaryFolder('mounted')
  await fs.rmdir(made.in)
  await fs.symlink(mounted, made.in)
  await fs.chmod(mounted, 0o770)
  assert.deepEqual(await listOpenToAll(fs, root), [])
  await fs.chmod(mounted, 0o777)
  assert.deepEqual(await listOpenToAll(fs, root), [made.in])
})
