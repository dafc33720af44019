/** What our documents are written in becomes HTML, and nothing else does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blocksOf } from './markdown-blocks.ts'
import { renderProse } from './prose.ts'

const LINKS = {
  document: (href: string) => (href.startsWith('retries.md') ? '/docs/guides/retries' : undefined),
  code: (text: string) => (text === 'NOT_FOUND' ? '/docs/errors#NOT_FOUND' : undefined),
}
const bodyOf = (markdown: string) => renderProse(markdown, LINKS).body.trim()

test('each kind of block becomes its HTML', () => {
  assert.equal(bodyOf('one\ntwo\n\nthree'), '<p>one two</p><p>three</p>')
  assert.equal(bodyOf('- a\n  goes on\n- b\n\n1. c'), '<ul><li>a goes on</li><li>b</li></ul><ol><li>c</li></ol>')
  assert.equal(bodyOf('- [ ] a\n- [x] b'), '<ul class="tasks"><li>a</li><li>b</li></ul>')
  assert.equal(bodyOf('> said\n> twice'), '<blockquote><p>said twice</p></blockquote>')
  assert.match(bodyOf('## A *new* `one`'), /^<h2 id="a-new-one">A <em>new<\/em> <code>one<\/code> <a class="anchor"/)
  const table = bodyOf('| a | |\n|---|---|\n| `x \\| y` | 2 |')
  assert.match(table, /<th scope="col">a<\/th><td><\/td>.*<td><code>x \| y<\/code><\/td><td>2<\/td>/)
  assert.match(
    bodyOf('```sh run\nls\n```\n```ts run\n1\n```'),
    /class="samples".*data-tab="curl".*data-tab="TypeScript"/s,
  )
  assert.throws(() => blocksOf('```sh\nls'), /not closed/)
})

test('links lead only to what the site has, and code to what it names', () => {
  assert.equal(bodyOf('[a `b`](retries.md#x)'), '<p><a href="/docs/guides/retries">a <code>b</code></a></p>')
  assert.equal(bodyOf('[a](javascript:alert(1)) [b](OPERATIONS.md)'), '<p>a) b</p>')
  assert.equal(
    bodyOf('**`NOT_FOUND`**'),
    '<p><strong><a href="/docs/errors#NOT_FOUND"><code>NOT_FOUND</code></a></strong></p>',
  )
})

test('the title and the sections, with what they are found by', () => {
  const { title, sections } = renderProse('# T\nintro\n## One\nfirst `code`\n### Deep\nmore', LINKS)
  assert.equal(title, 'T')
  assert.deepEqual(
    sections.map(({ id, title: name, isListed }) => [id, name, isListed]),
    [
      ['', '', false],
      ['one', 'One', true],
      ['deep', 'Deep', false],
    ],
  )
  assert.match(sections[1]?.text ?? '', /first code/)
})

test('any text ends, and no tag of it gets through', () => {
  const pieces = ['<b>', '"', '`', '```\n', '\n', '| ', '- ', '1. ', '> ', '# ', '**', '[a](', ')', '\\', '…', ' ']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
      try {
        assert.doesNotMatch(bodyOf(parts.join('')), /<b>/)
      } catch (error) {
        assert.match(String(error), /^Error: a block of code is not closed/)
      }
    }),
    { examples: [[['<b>']], [['`', '<b>', '`']], [['| ', '<b>', '| ', '\n']]] },
  )
})
