/** Asks the compiler about one changed file at a time. The compiler keeps the program, so that answers are quick. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { importsOf, typeScriptFiles } from '../support/imports.ts'

export type TypeCheck = {
  /** True when the file with this text, and those that import it, have no type error. */
  accepts(file: string, text: string): Promise<boolean>
  stop(): Promise<void>
}

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: { message: string } }
type Diagnostics = { items: { severity?: number; code?: number }[] }

const ERROR = 1
/**
 * Leaving out a statement may well leave a name unused or a path without a `return`; that does not make a fault
 * impossible.
 */
const ALLOWED = new Set([6133, 6138, 6192, 6196, 6198, 6199, 6205, 7027, 7028, 7030])
const ANSWER_TIMEOUT_MS = 5 * 60_000

/** @param root the folder with tsconfig.json, src and node_modules */
export async function startTypeCheck(root: string): Promise<TypeCheck> {
  const server = startServer(root)
  const folder = pathToFileURL(root).href
  await server.ask('initialize', { processId: process.pid, rootUri: folder, capabilities: {} })
  server.tell('initialized', {})
  const importers = importersOf(root)
  const versions = new Map<string, number>()

  /** Shows the compiler a text in place of the file's. */
  function show(file: string, text: string): void {
    const uri = uriOf(root, file)
    const version = (versions.get(file) ?? 0) + 1
    versions.set(file, version)
    if (version === 1)
      server.tell('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version, text } })
    else server.tell('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
  }

  async function isClean(file: string): Promise<boolean> {
    if (!versions.has(file)) show(file, read(root, file))
    const textDocument = { uri: uriOf(root, file) }
    const { items } = (await server.ask('textDocument/diagnostic', { textDocument })) as Diagnostics
    return !items.some(({ severity = ERROR, code = 0 }) => severity === ERROR && !ALLOWED.has(code))
  }

  return {
    async accepts(file, text) {
      show(file, text)
      try {
        for (const asked of [file, ...(importers.get(file) ?? [])]) if (!(await isClean(asked))) return false
        return true
      } finally {
        show(file, read(root, file))
      }
    },
    stop: server.stop,
  }
}

/** File → those of src that import it. */
function importersOf(root: string): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const absolute of typeScriptFiles(path.join(root, 'src'))) {
    const importer = path.relative(root, absolute)
    if (importer.endsWith('.test.ts')) continue
    for (const specifier of importsOf(readFileSync(absolute, 'utf8'))) {
      const imported = path.relative(root, path.resolve(path.dirname(absolute), specifier))
      if (!specifier.startsWith('.') || !existsSync(path.join(root, imported))) continue
      importers.set(imported, [...(importers.get(imported) ?? []), importer])
    }
  }
  return importers
}

function uriOf(root: string, file: string): string {
  return pathToFileURL(path.join(root, file)).href
}

function read(root: string, file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

/** The compiler as a language server on its standard input and output. */
function startServer(root: string) {
  const compiler = path.join(root, 'node_modules/.bin/tsc')
  const child = spawn(compiler, ['--lsp', '--stdio'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const fail = (reason: string) => {
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }
  child.once('exit', () => fail('The compiler ended'))
  child.once('error', (error) => fail(String(error)))
  let lastId = 0
  const send = (message: Message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  readMessages(child, ({ id, method, params, result, error }) => {
    if (id === undefined) return
    if (method !== undefined) {
      const items = (params as { items?: unknown[] } | undefined)?.items
      send({ id, result: items?.map(() => null) ?? null })
      return
    }
    const answer = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) answer?.resolve(result)
    else answer?.reject(new Error(error.message))
  })
  return {
    tell: (method: string, params: unknown) => send({ method, params }),
    async ask(method: string, params: unknown): Promise<unknown> {
      lastId += 1
      const id = lastId
      const answer = Promise.withResolvers<unknown>()
      waiting.set(id, answer)
      const timer = setTimeout(
        () => answer.reject(new Error(`The compiler did not answer ${method}`)),
        ANSWER_TIMEOUT_MS,
      )
      send({ id, method, params })
      return await answer.promise.finally(() => clearTimeout(timer))
    },
    async stop() {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null && child.kill()) await ended
    },
  }
}

/** Each message is a header with its length, an empty line, and JSON. */
function readMessages({ stdout }: ChildProcess, onMessage: (message: Message) => void): void {
  let kept = Buffer.alloc(0)
  stdout?.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk])
    for (;;) {
      const head = kept.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = Number(/Content-Length: (\d+)/i.exec(kept.subarray(0, head).toString())?.[1])
      const end = head + 4 + length
      if (kept.length < end) return
      onMessage(JSON.parse(kept.subarray(head + 4, end).toString()) as Message)
      kept = kept.subarray(end)
    }
  })
}
