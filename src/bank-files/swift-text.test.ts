import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasSwiftText, isSwiftText, toSwiftText } from './swift-text.ts'

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 30 })
  .map((points) => String.fromCodePoint(...points))

test('converted text has only characters that banks carry, and converting it again changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const written = toSwiftText(text, '?')
      assert.ok(isSwiftText(written), JSON.stringify(written))
      assert.equal(written, written.trim())
      assert.doesNotMatch(written, / {2}/)
      assert.equal(toSwiftText(written, '?'), written)
    }),
  )
})

test('names of this country and its neighbours keep their letters', () => {
  const written = [
    ['Nur Aisyah binti Mohd Zaki', 'Nur Aisyah binti Mohd Zaki'],
    ["Muthu s/o Krishnan A/L D'Souza", "Muthu s/o Krishnan A/L D'Souza"],
    ['Nguyễn Thị Đào', 'Nguyen Thi Dao'],
    ['Søren Müller-Weiß', 'Soren Muller-Weiss'],
    ['Tan & Söhne Sdn. Bhd. [“KL”]', "Tan + Sohne Sdn. Bhd. ('KL')"],
    ['ＡＢＣ　Ｔｒａｄｉｎｇ', 'ABC Trading'],
    ['  two   blanks\tand a tab ', 'two blanks and a tab'],
  ] as const
  for (const [text, expected] of written) {
    assert.equal(toSwiftText(text, '\u0000'), expected)
    assert.ok(hasSwiftText(text))
  }
})

test('characters without a counterpart are recognised', () => {
  for (const text of ['陈伟明', 'முருகன்', 'Ali 🎉', 'Анна', 'محمد', 'bell\u0007'])
    assert.equal(hasSwiftText(text), false, text)
  assert.equal(toSwiftText('Gaji Mac 2026 – ✓', '?'), 'Gaji Mac 2026 - ?')
})
