/** What marked reads is what our pages show, and nothing that a document holds becomes HTML by it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blocksOf } from './markdown-blocks.ts'
import { renderProse } from './prose.ts'

test('a list with empty lines is one list, and a document of either line end is the same', () => {
  const list = [{ type: 'list', isOrdered: true, items: ['a goes on', 'b'] }]
  assert.deepEqual(blocksOf('1. a\n   goes on\n\n2. b\n'), list)
  assert.deepEqual(blocksOf('1. a\r\n   goes on\r\n\r\n2. b\r\n'), list)
})

test('the items of a list in a list follow the one that they belong to', () => {
  const items = ['a more after', 'b', 'c', 'd', '[x] e', '[ ] f']
  assert.deepEqual(blocksOf('- a\n  more\n  - b\n    1. c\n\n  after\n- d\n- [x] e\n- [ ] f'), [
    { type: 'list', isOrdered: false, items },
  ])
})

test('code keeps its lines and the words after its language; a fence has to be closed by one like it', () => {
  for (const fence of ['```', '````', '~~~'])
    assert.deepEqual(blocksOf(`${fence}sh run\nls\n\n  ls\n${fence}\n`), [
      { type: 'code', language: 'sh run', text: 'ls\n\n  ls' },
    ])
  for (const open of ['```\nls', '```\nls ```\n', '````\nls\n```\n', '~~~\nls\n```\n', '```'])
    assert.throws(() => blocksOf(open), /not closed/, open)
})

test('HTML is a paragraph like any other', () => {
  for (const html of [
    '<b>bold</b>',
    '<div>\n<p>x</p>\n</div>',
    '<!-- x -->',
    '<script>x()</script>',
    '<?php ?>',
    '<pre>',
  ]) {
    assert.deepEqual(blocksOf(html), [{ type: 'paragraph', text: html.replaceAll('\n', ' ') }])
  }
})

test('no tag, comment or instruction gets through, wherever it stands', () => {
  const html = [
    '<b>',
    '<b>\n',
    '<script>',
    '</b>',
    '<pre>',
    '<!--',
    '-->',
    '<?',
    '<![CDATA[',
    '&lt;b>',
    '<https://x.example>',
  ]
  const around = [
    'x',
    '"',
    '`',
    '\n',
    '\n\n',
    '| ',
    '|-|\n',
    '- ',
    '- [x] ',
    '1. ',
    '> ',
    '# ',
    '**',
    '[a](',
    '[a]: ',
    ')',
  ]
  const more = ['\\', ' ', '    ', '\t', '---\n', '===\n', '```\n', '~~~\n']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...html, ...around, ...more), { maxLength: 60 }), (parts) => {
      const body = bodyOf(parts.join(''))
      assert.doesNotMatch(body, /<\/?b>|<pre>|<script|<!|<\?|<https/)
    }),
    {
      examples: [
        [['<b>']],
        [['> ', '<script>']],
        [['- ', '<b>\n', '\n', '    ', '<b>']],
        [['| ', '<!--', '| \n|-|\n']],
      ],
    },
  )
})

/** The page of a document; nothing for one that is refused. */
function bodyOf(markdown: string): string {
  try {
    return renderProse(markdown, { document: () => undefined, code: () => undefined }).body
  } catch (error) {
    assert.match(String(error), /not closed/)
    return ''
  }
}
