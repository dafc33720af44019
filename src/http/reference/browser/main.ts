/** What the pages can do with scripts; without them they are read as they are. */
import { addCopyButtons, addTabs } from './code.ts'
import { closeMenuOnChoice, followReading } from './contents.ts'
import { fillSamples, readOwn } from './demo.ts'
import { addSearch } from './search.ts'
import { addTrying } from './try-it.ts'

const { body } = document
addSearch(document.getElementById('search') as HTMLElement)
addTabs()
addCopyButtons()
followReading()
closeMenuOnChoice()
fillSamples({ COIN_API: `${location.origin}/v1` })
if (body.dataset.sandbox !== undefined) {
  const { isFilled, own } = await readOwn()
  fillSamples(own)
  if (isFilled) addTrying(own)
}
body.dataset.ready = 'yes'
