/** What is asked of every page in a browser. */
import type { Page } from 'playwright-core'
import { SIZES, type TestBrowser, violations } from '../support/browser.ts'

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
    say('light, wide', [...(await violations(browser, page)), ...(await tooWide(page))])
    await page.emulateMedia({ colorScheme: 'dark' })
    say('dark, wide', await violations(browser, page, 'dark'))
    await page.setViewportSize(SIZES.phone)
    say('dark, phone', [...(await violations(browser, page, 'dark')), ...(await tooWide(page))])
    await page.emulateMedia({ colorScheme: 'light' })
    say('light, phone', await violations(browser, page, 'light'))
    say('console', problems.splice(0))
  }
  await close()
  return found
}

async function tooWide(page: Page): Promise<string[]> {
  const morePx = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return Number(morePx) > 0 ? [`${morePx} px wider than the screen`] : []
}
