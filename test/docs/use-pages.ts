/** What is asked of every page in a browser. */
import type { Page } from 'playwright-core'
import { SIZES, type TestBrowser, violations } from '../support/browser.ts'

/** Everything is looked for on each page in all four ways in `npm run test:long`, or when this file runs alone. */
const LOOKS_EVERYWHERE = process.env.TEST_WAYS !== 'two'

/**
 * Looks at pages wide and on a phone, light and dark: each is loaded once, and the screen and its colours change.
 * @returns violations of axe, what the page's console says, and what is wider than the screen, as sentences
 */
export async function problemsOf(browser: TestBrowser, origin: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const { page, problems, close } = await browser.open()
  for (const path of paths) {
    const say = (way: string, each: readonly string[]) => found.push(...each.map((one) => `${path}, ${way}: ${one}`))
    await page.setViewportSize(SIZES.wide)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(origin + path)
    await page.locator('body[data-ready]').waitFor()
    say('light, wide', [
      ...(await violations(browser, page)),
      ...(await tooWide(page)),
      ...(await hiddenUnderscores(page)),
    ])
    await page.emulateMedia({ colorScheme: 'dark' })
    // All pages have the same colours.
    const isWhole = LOOKS_EVERYWHERE || path === paths[0]
    if (isWhole) say('dark, wide', await violations(browser, page, 'dark'))
    await page.setViewportSize(SIZES.phone)
    say('dark, phone', [...(await misplaced(page)), ...(await tooWide(page))])
    if (isWhole) say('dark, phone', await violations(browser, page, 'dark'))
    await page.emulateMedia({ colorScheme: 'light' })
    if (isWhole) say('light, phone', await violations(browser, page))
    say('console', problems.splice(0))
  }
  await close()
  return found
}

/** What a narrow screen can do to a page; axe is in it already. */
async function misplaced(page: Page): Promise<string[]> {
  const rules = ['region', 'label', 'scrollable-region-focusable', 'target-size', 'bypass', 'link-name', 'button-name']
  const options = JSON.stringify({ runOnly: { type: 'rule', values: rules } })
  const found = (await page.evaluate(`axe.run(document, ${options})`)) as { violations: { id: string }[] }
  return found.violations.map(({ id }) => id)
}

/** Names of which the line below the link covers the underscores: `INVALID_JSON` reads as two words. */
async function hiddenUnderscores(page: Page): Promise<string[]> {
  const names = (await page.evaluate(`[...document.querySelectorAll('a > code')]
    .filter((code) => code.textContent.includes('_'))
    .filter(({ parentElement }) => {
      const { fontSize, textDecorationLine, textUnderlineOffset } = getComputedStyle(parentElement)
      return textDecorationLine === 'underline' && !(parseFloat(textUnderlineOffset) >= 0.25 * parseFloat(fontSize))
    })
    .map((code) => code.textContent)`)) as string[]
  return names.map((name) => `the underscores of ${name} are covered`)
}

async function tooWide(page: Page): Promise<string[]> {
  const morePx = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return Number(morePx) > 0 ? [`${morePx} px wider than the screen`] : []
}
