/**
 * A real Chromium, which comes as a package, for tests of the console: one browser in a process of test files, a page of its own for each
 * look. Whatever a page writes to its console or fails to load makes the test fail.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statfsSync,
} from 'node:fs'
import { findPackageJSON } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { atTheEnd } from './run/at-the-end.ts'
import { PATIENCE_MS } from './wait-for.ts'

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
]

const SHARED_MEMORY = '/dev/shm'
/** What several browsers at once and the database server of a run leave free by far. */
const SHARED_BYTES = 1024 ** 3

export type Theme = 'light' | 'dark'
export type Size = 'wide' | 'phone'
export const SIZES: Readonly<Record<Size, { width: number; height: number }>> = {
  wide: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
}

/**
 * Unpacks what the package has of the browser, once on this machine; test files that begin at the same time do not disturb
 * each other.
 * @param packed such as `chromium.br`
 * @returns the file
 */
async function unpacked(packed: string): Promise<string> {
  const described = findPackageJSON('@sparticuz/chromium', import.meta.url) ?? ''
  const home = path.dirname(described)
  const { version } = JSON.parse(readFileSync(described, 'utf8')) as { version: string }
  const folder = path.join(tmpdir(), `coin-test-chromium-${userInfo().uid}`)
  const file = path.join(folder, `${path.basename(packed, '.br')}-${version}`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const aside = `${file}.${randomUUID()}`
  const from = createReadStream(path.join(home, 'bin', packed))
  await pipeline(from, createBrotliDecompress(), createWriteStream(aside, { mode: 0o700 }))
  renameSync(aside, file)
  return file
}

/** The package brings the few libraries that a machine may lack (NSS): they are used only where they are missing. */
async function ownLibraries(): Promise<string> {
  const archive = await unpacked('al2023.tar.br')
  const folder = `${archive}.d`
  if (existsSync(folder)) return path.join(folder, 'lib')
  const aside = `${folder}.${randomUUID()}`
  mkdirSync(aside)
  await promisify(execFile)('tar', ['-xf', archive, '-C', aside])
  try {
    renameSync(aside, folder)
  } catch (error) {
    // Another test file was quicker.
    if (!existsSync(folder)) throw error
  }
  return path.join(folder, 'lib')
}

/**
 * Whether the browser's processes may share memory in memory. By default playwright lets them do it in files of the disk, for containers with
 * 64 MB: a fifth of the browser's processor time.
 */
function hasSharedMemory(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false
  const { bavail, bsize } = statfsSync(SHARED_MEMORY)
  return bavail * bsize >= SHARED_BYTES
}

/** @throws Error where the package has no browser for this kind of machine and BROWSER_PATH names none */
async function launch(): Promise<Browser> {
  const own = process.env.BROWSER_PATH
  if (own === undefined && `${process.platform}-${process.arch}` !== 'linux-x64')
    throw new Error('The tests in a browser bring one for Linux on x64 only: set BROWSER_PATH to a Chromium.')
  const options = {
    executablePath: own ?? (await unpacked('chromium.br')),
    args: ARGS,
    ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
  }
  try {
    return await chromium.launch(options)
  } catch (error) {
    if (!/error while loading shared libraries/.test(String(error))) throw error
    return await chromium.launch({ ...options, env: { ...process.env, LD_LIBRARY_PATH: await ownLibraries() } })
  }
}

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>

let kept: Browser | undefined
let isKept: boolean | undefined

/** The one of this process, which ends with its last test file. Whatever a page keeps is its context's, so test files share nothing in it. */
async function browserOfProcess(): Promise<Browser> {
  isKept ??= atTheEnd(async () => await kept?.close())
  if (kept === undefined || !isKept || !kept.isConnected()) kept = await launch()
  return kept
}

/** Starts the browser, where no test file before has. Close it in `after`. */
export async function startBrowser() {
  const browser = await browserOfProcess()
  const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

  /** A page of its own, with its own cookies. What goes wrong in it is found in `problems`. */
  async function open({ theme = 'light', size = 'wide' }: { theme?: Theme; size?: Size } = {}) {
    const context: BrowserContext = await browser.newContext({
      viewport: SIZES[size],
      colorScheme: theme,
      locale: 'en-GB',
      timezoneId: 'Asia/Kuala_Lumpur',
      reducedMotion: 'reduce',
    })
    // Also of what else is opened in it.
    context.setDefaultTimeout(PATIENCE_MS)
    const page: Page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('pageerror', (error) => void problems.push(`thrown: ${error.message}`))
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? ''
      if (why !== 'net::ERR_ABORTED') problems.push(`${request.url()}: ${why}`)
    })
    return { page, problems, close: () => context.close() }
  }

  async function close(): Promise<void> {
    if (isKept !== true) return await browser.close()
    await Promise.all(browser.contexts().map((context) => context.close()))
  }

  return { open, axe, close }
}

const EVERYTHING = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}
/** What a wide screen has at a zoom of 400 % (WCAG 1.4.10). */
const NARROWEST = 320

/** What can differ between light and dark. */
const COLOURS = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  resultTypes: ['violations'],
}

/**
 * What axe finds, as sentences. It is evaluated through the debugger, which the page's policy does not concern.
 * @param theme dark: only colours, where everything is looked at in light
 */
export async function violations({ axe }: TestBrowser, page: Page, theme: Theme = 'light'): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${axe};undefined`)
  const rules = JSON.stringify(theme === 'dark' ? COLOURS : EVERYTHING)
  const result = (await page.evaluate(`axe.run(document, ${rules})`)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return result.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html} ${failureSummary}`)
        .join(' | ')}`,
  )
}

/** Signs in with a token, through the form. */
export async function signIn(page: Page, url: string, token: string, at = '/console/'): Promise<void> {
  await page.goto(url + at)
  await page.getByLabel('Your token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('main#main').waitFor()
}

export type Look = { name: string; path: string; ready: string }

/** The four ways in which each page is looked at. */
const WAYS = (['light', 'dark'] as const).flatMap((theme) =>
  (['wide', 'phone'] as const).map((size) => ({ theme, size })),
)

/**
 * In `npm run test:long`, or alone, each page is looked at in all four ways. In `npm test` it is looked at in light, wide and narrow; dark
 * and on a phone only the first of a suite, for all pages have the same colours.
 */
const LOOKS_EVERYWHERE = process.env.TEST_WAYS !== 'two'
const LOOKED = WAYS.filter(({ theme, size }) => LOOKS_EVERYWHERE || (theme === 'light') === (size === 'wide'))

/** The pictures in docs/console, which `CONSOLE_SHOTS=docs/console npm test -- --only console` takes anew. */
const KEPT = [
  'overview-wide-light.png',
  'orders-wide-dark.png',
  'order-wide-light.png',
  'overview-phone-dark.png',
  'approval-phone-light.png',
]

/** Columns without a value. */
const NO_VALUES = ['Actions', 'Audit log']

/** The heads of tables that sort nothing. */
async function unsortable(page: Page): Promise<string[]> {
  const heads = await page.locator('main th:not(:has(button))').allTextContents()
  return heads.map((head) => head.trim()).filter((head) => !NO_VALUES.includes(head))
}

/** The screen of a small laptop. */
/** A laptop's, and half of one's at which the rows of a table are no cards yet; and beside each where the style changes. */
const LAPTOPS = [961, 1161, 1280, 1401]

/** The tables that have columns out of sight on a laptop: what moves them sideways is below their last row. */
async function wideTables(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of LAPTOPS) {
    await page.setViewportSize({ width, height: 800 })
    const wide = await page.evaluate(`[...document.querySelectorAll('.scroll')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((table) => table.ariaLabel + ' is ' + (table.scrollWidth - table.clientWidth) + ' px too wide for ${width}')`)
    found.push(...(wide as string[]))
  }
  return found
}

/**
 * Looks at pages in the four ways: no violation of axe, nothing on the page's console, nothing
 * wider than the screen, no table wider than that of any laptop, every table sorted by each of its columns.
 * @param looks `ready` is a selector that is there once the page shows what it is about
 */
export async function lookAt(
  browser: TestBrowser,
  { url, token }: { url: string; token: string },
  looks: readonly Look[],
): Promise<void> {
  const found: string[] = []
  const shots = process.env.CONSOLE_SHOTS
  for (const { theme, size } of LOOKED) {
    const { page, problems, close } = await browser.open({ theme, size })
    // Nobody is signed in before the form: Chromium tells of that answer.
    await signIn(page, url, token)
    problems.length = 0
    const looked = LOOKS_EVERYWHERE || theme === 'light' ? looks : looks.slice(0, 1)
    for (const { name, path: at, ready } of looked) {
      const way = `${name}, ${theme}, ${size}`
      await page.goto(url + at)
      await page.locator(ready).first().waitFor()
      found.push(...(await violations(browser, page, theme)).map((each) => `${way}: ${each}`))
      const narrow = { ...SIZES.phone, width: NARROWEST }
      for (const screen of size === 'phone' ? [narrow] : LOOKS_EVERYWHERE ? [SIZES.wide] : [SIZES.wide, narrow]) {
        await page.setViewportSize(screen)
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        if (Number(overflow) > 0) found.push(`${way}: ${overflow} px wider than a screen of ${screen.width}`)
      }
      if (size === 'wide') found.push(...(await wideTables(page)).map((table) => `${way}: ${table}`))
      await page.setViewportSize(SIZES[size])
      found.push(...(await unsortable(page)).map((head) => `${way}: a table is not sorted by ${head}`))
      const kept = `${name}-${size}-${theme}.png`
      if (shots !== undefined && KEPT.includes(kept)) await page.screenshot({ path: path.join(shots, kept) })
    }
    found.push(...problems.map((problem) => `${theme}, ${size}: ${problem}`))
    await close()
  }
  assert.deepEqual(found, [])
}
