/** Checks XML against the profiles of the published message definitions (test/bank-files/schemas) with libxml2. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { validateXML } from 'xmllint-wasm'
import type { Definition } from '../../src/bank-files/definitions.ts'

const FOLDER = path.join(import.meta.dirname, 'schemas')
const read = (name: string) => ({ fileName: name, contents: readFileSync(path.join(FOLDER, name), 'utf8') })

/** The faults of a document; empty when there are none. */
export async function schemaErrors(xml: string, definition: Definition): Promise<string[]> {
  const { valid, errors, rawOutput } = await validateXML({
    xml: { fileName: 'document.xml', contents: xml },
    schema: read(`${definition}.xsd`),
    preload: read('common.xsd'),
    maxMemoryPages: 4_096,
  })
  if (valid) return []
  return errors.length > 0 ? errors.map(({ message }) => message) : [rawOutput]
}
