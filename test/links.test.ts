/** Links between the documents lead to files and headings that are there, and the requests that they tell of are there too. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { openApiDocument } from '../src/http/openapi/document.ts'
import { ROUTES } from '../src/http/routes/index.ts'
import { sandboxRoutes } from './sandbox/routes.ts'

type Document = { paths: Record<string, Record<string, unknown>> }

const ROOT = path.join(import.meta.dirname, '..')
const FOLDERS = ['docs', 'sdk', 'contracts', 'examples', 'bench/results', 'test']
/** Addresses of the service itself, and of the web. */
const ELSEWHERE = /^(?:[a-z]+:|\/)/

const documents = [
  ...readdirSync(ROOT),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  ),
].filter((name) => name.endsWith('.md') && !name.includes('node_modules'))

const proseOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8').replace(/^```.*?^```$/gms, '')

/** The anchors that a Markdown viewer gives the headings. */
function anchorsOf(file: string): string[] {
  const headings = [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** @returns whether the link, as it stands in the file, leads to a file, and to a heading of it if it names one */
function leadsSomewhere(file: string, link: string): boolean {
  const [to = '', anchor] = link.split('#')
  const target = to === '' ? file : path.join(path.dirname(file), to)
  return existsSync(path.join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor))
}

test('links lead somewhere', () => {
  const links = documents.flatMap((file) =>
    [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ file, link })),
  )
  const own = links.filter(({ link }) => !ELSEWHERE.test(link))
  assert.ok(own.length > 200, String(own.length))
  assert.deepEqual(
    own.filter(({ file, link }) => !leadsSomewhere(file, link)),
    [],
  )
})

test('alarms lead to headings', () => {
  const text = readFileSync(path.join(ROOT, 'docs/samples/alarms.yaml'), 'utf8')
  const { groups } = parse(text) as { groups: { rules: { annotations: Record<'runbook', string> }[] }[] }
  const runbooks = groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook))
  assert.ok(runbooks.length > 25)
  assert.deepEqual(
    runbooks.filter((link) => !leadsSomewhere('README.md', link)),
    [],
  )
})

test('requests that documents and samples tell of are there', () => {
  const { paths } = openApiDocument([...ROUTES, ...sandboxRoutes({})]) as Document
  const samples = readdirSync(path.join(ROOT, 'docs/samples')).filter((name) => name.endsWith('.json'))
  const told = [...documents, ...samples.map((name) => `docs/samples/${name}`)].flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/\b(GET|POST) \/v1(\/[\w/{}-]+)/g)].map(
      ([, method = '', to = '']) => ({ file, method: method.toLowerCase(), to }),
    ),
  )
  assert.ok(told.length > 15, String(told.length))
  // A path may be told of without what it ends in.
  const isThere = ({ method, to }: (typeof told)[number]) =>
    Object.entries(paths).some(([known, methods]) => (known === to || known.startsWith(`${to}/{`)) && method in methods)
  assert.deepEqual(
    told.filter((one) => !isThere(one)),
    [],
  )
})
