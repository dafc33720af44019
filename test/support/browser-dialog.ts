/** The console's dialogs, as a test clicks through them. */
import type { Page } from 'playwright-core'

/** What `send` says where a test has nothing to say. */
const A_REASON = 'as ticket 17 says'

export type Dialogs = ReturnType<typeof dialogsOf>

export function dialogsOf(page: Page) {
  const open = () => page.locator('dialog[open]')

  /** The field with exactly this label. */
  const field = (label: string) => {
    const named = page.locator('span:first-child').and(page.getByText(label, { exact: true }))
    return open().locator('label.field', { has: named }).locator('input, select, textarea')
  }

  /** Sends it; where a reason is demanded and none was filled in, with some. */
  const send = async () => {
    const why = open().locator('textarea[name=reason]')
    if ((await why.count()) === 1 && (await why.inputValue()) === '') await why.fill(A_REASON)
    await open().locator('button[type=submit]').click()
  }

  return {
    open,
    field,
    send,
    /** Closes it, and waits until nothing of it is there. */
    async close(): Promise<void> {
      await open().getByRole('button', { name: 'Close', exact: true }).click()
      await page.locator('dialog[aria-labelledby=dialog-title]').waitFor({ state: 'detached' })
    },

    /** Opens the dialog of the first button with this label, fills it in, sends it, and waits until it is done. */
    async run(button: string, filled: Record<string, string> = {}): Promise<void> {
      await page
        .getByRole('button', { name: `${button} …`, exact: true })
        .first()
        .click()
      for (const [label, value] of Object.entries(filled)) {
        const control = field(label)
        const isSelect = (await control.and(page.locator('select')).count()) === 1
        await (isSelect ? control.selectOption(value) : control.fill(value))
      }
      await send()
      await open().getByText('Done.', { exact: true }).waitFor()
    },
  }
}
