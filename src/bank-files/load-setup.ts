/** Reads the bank profile and the files that it names, which lie relative to it. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { quoted, type Reading } from './refusal.ts'
import { type BankSetup, parseBankSetup } from './setup.ts'

/** Reads a bank profile; its folder, too, is relative to it. */
export function loadBankSetup(file: string): Reading<BankSetup> {
  const base = path.dirname(path.resolve(file))
  const read = (name: string) => readFileSync(path.resolve(base, name), 'utf8')
  try {
    const setup = parseBankSetup(read(path.resolve(file)), read)
    return setup.ok ? { ok: true, value: { ...setup.value, folder: path.resolve(base, setup.value.folder) } } : setup
  } catch (error) {
    const name = (error as { path?: string }).path ?? file
    const sentence = `${quoted(path.basename(name))}, the bank profile or a file that it names, cannot be read.`
    return { ok: false, refusal: { code: 'wrong_content', sentence } }
  }
}
