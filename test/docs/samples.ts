/** The samples of a document, and a shell into which they are pasted one after the other. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { blocksOf } from '../../src/http/reference/markdown-blocks.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { temporaryFolder } from '../support/temp.ts'

const SDK = pathToFileURL(path.join(import.meta.dirname, '../../sdk/src/index.ts')).href
const LIMIT_MS = 240_000

export type Sample = {
  language: 'sh' | 'ts'
  code: string
  /** What it prints in the end, `…` standing for anything; undefined: nobody says. */
  prints: { language: string; text: string } | undefined
}

/** The samples that a document says to run. What a command prints stands in the block marked `prints` that follows. */
export function samplesIn(markdown: string): Sample[] {
  const samples: Sample[] = []
  for (const block of blocksOf(markdown)) {
    if (block.type !== 'code') continue
    const [language = '', mark] = block.language.split(' ')
    if (mark === 'run' && (language === 'sh' || language === 'ts'))
      samples.push({ language, code: block.text, prints: undefined })
    const command = samples.findLast((sample) => sample.language === 'sh')
    if (mark === 'prints' && command !== undefined) command.prints = { language, text: block.text }
  }
  return samples
}

/** A sample as the pages show it where a sandbox fills in its own values. */
export function filled(code: string, own: Readonly<Record<string, string>>): string {
  return code
    .replace(/process\.env\.(\w+) \?\? ''/g, (whole, name: string) =>
      own[name] === undefined ? whole : `'${own[name]}'`,
    )
    .replace(/\$([A-Z_]+)\b/g, (whole, name: string) => own[name] ?? whole)
}

/**
 * Pastes samples into one shell, whose environment has nothing of the partner's, and checks what each prints.
 * @param where named when one of them does something else
 */
export async function runSamples(where: string, samples: readonly Sample[]): Promise<void> {
  const folder = temporaryFolder('samples')
  const hook = path.join(folder, 'client.mjs')
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => name === 'stablecoin-partner-sdk' ? next(${JSON.stringify(SDK)}, context) : next(name, context) })`,
  )
  const file = (name: string) => path.join(folder, name)
  const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  mkdirSync(file('out'))
  const steps = samples.map(({ language, code }, index) => {
    const to = `> ${word(file(`out/${index}`))} 2> ${word(file(`out/${index}.err`))}`
    if (language === 'sh') return `{\n${code}\n} ${to}`
    writeFileSync(file(`${index}.ts`), `${code}\n`)
    return `${word(process.execPath)} --no-warnings --import ${word(hook)} ${word(file(`${index}.ts`))} ${to}`
  })
  writeFileSync(file('pasted.sh'), `${steps.join('\n')}\n`)
  const env = { ...childEnvironment(), HOME: folder }
  await promisify(execFile)('bash', [file('pasted.sh')], { env, timeout: LIMIT_MS })
  for (const [index, sample] of samples.entries()) {
    const read = (name: string) => readFileSync(file(`out/${name}`), 'utf8').trim()
    const told = `${where}, sample ${index + 1}:\n${sample.code}\n${read(`${index}`)}\n${read(`${index}.err`)}`
    assert.equal(read(`${index}.err`), '', told)
    const said = commentedIn(sample.code)
    if (said.length > 0) assert.deepEqual(read(`${index}`).split('\n'), said, told)
    if (sample.prints !== undefined) checkPrinted(read(`${index}`), sample.prints, told)
  }
}

/** What the lines of a program that print say that they print: `console.log(x) // this`. */
function commentedIn(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, said]) => said ?? '')
}

function checkPrinted(output: string, { language, text }: NonNullable<Sample['prints']>, told: string): void {
  if (language !== 'json') {
    assert.equal(output.replace(/ +$/gm, ''), text, told)
    return
  }
  const last = output.split('\n').findLast((line) => line.startsWith('{')) ?? ''
  assert.ok(last !== '', told)
  assert.ok(isLike(JSON.parse(last), JSON.parse(text)), told)
}

/** Whether a value is as it is shown: `…` is anything, a field `…` any others, and one element stands for all. */
export function isLike(value: unknown, shown: unknown): boolean {
  if (typeof shown === 'string' && shown.includes('…')) {
    const [begin = '', end = ''] = shown.split('…')
    return typeof value === 'string' && value.startsWith(begin) && value.endsWith(end)
  }
  if (Array.isArray(shown)) {
    if (!Array.isArray(value) || value.length === 0) return false
    if (shown.length === 1) return value.every((one) => isLike(one, shown[0]))
    return value.length === shown.length && shown.every((one, index) => isLike(value[index], one))
  }
  if (typeof shown !== 'object' || shown === null) return value === shown
  if (typeof value !== 'object' || value === null) return false
  const { '…': others, ...fields } = shown as Record<string, unknown>
  const had = value as Record<string, unknown>
  if (others === undefined && Object.keys(had).length !== Object.keys(fields).length) return false
  return Object.entries(fields).every(([name, inner]) => isLike(had[name], inner))
}
