import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accepted, bytesOf, RULES, refusalOf } from '../../../test/support/bank-files.ts'
import { readBankFile } from '../read-bank-file.ts'
import { catchRefusal } from '../refusal.ts'
import { optionalChild } from './element.ts'
import { parseXml, XML_BOUNDS, type XmlBounds, type XmlElement } from './parse.ts'
import { writeXml } from './write.ts'

const read = (text: string, bounds: Partial<XmlBounds> = {}) =>
  catchRefusal(() => parseXml(bytesOf(text), { ...XML_BOUNDS, ...bounds }))

test('what is written is read back', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab <>&"\'é汉]') }).map((one) => one.trim())
  fc.assert(
    fc.property(text, text, (one, other) => {
      const { root } = accepted(read(writeXml(['a', [['b', one, { x: other }], null, ['c', []]], { xmlns: 'urn:a' }])))
      assert.equal(optionalChild(root, 'b')?.text, one)
      assert.equal(optionalChild(root, 'b')?.attributes.get('x'), other)
      assert.deepEqual(optionalChild(root, 'c')?.children, [])
    }),
  )
})

test('what is not well-formed to the last byte is refused', () => {
  const wrong = {
    'an empty file': '',
    'blanks only': ' \n',
    'no end': '<a><b>1</b>',
    'half an end': '<a></a',
    'two roots': '<a/><a/>',
    'text after the root': '<a/>x',
    'an attribute twice': '<a x="1" x="2"/>',
    'an attribute twice by namespace': '<a xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"/>',
    'a bare ampersand': '<a>x & y</a>',
    'an entity that is not declared': '<a>&foo;</a>',
    'a control character': '<a>\u0001</a>',
    'a reference to a control character': '<a>&#1;</a>',
    NUL: '<a>\u0000</a>',
    'an end of CDATA': '<a>]]></a>',
    'overlapping elements': '<a><b></a></b>',
    'a prefix that is not declared': '<p:a/>',
    'a declaration that comes late': ' <?xml version="1.0"?><a/>',
    'a document type': '<!DOCTYPE a><a/>',
    'entities that expand': '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>',
    'an entity from outside': '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>',
    'text beside elements': '<a>1<b/></a>',
    'an encoding other than UTF-8': '<?xml version="1.0" encoding="UTF-16"?><a/>',
  }
  for (const [what, text] of Object.entries(wrong)) assert.equal(refusalOf(read(text)).code, 'malformed', what)
})

test('bytes that are not UTF-8 are refused', () => {
  const bytes = bytesOf('<a>é</a>')
  const latin = Buffer.from('<a>é</a>', 'latin1')
  assert.equal(accepted(catchRefusal(() => parseXml(bytes))).root.text, 'é')
  assert.equal(refusalOf(catchRefusal(() => parseXml(latin))).code, 'malformed')
  assert.equal(refusalOf(catchRefusal(() => parseXml(Buffer.from('<a/>', 'utf16le')))).code, 'malformed')
})

test('no prefix of a file is a file', () => {
  const text = writeXml([
    'a',
    [
      ['b', 'text', { x: '1' }],
      ['c', [['d', 'é']]],
    ],
    { xmlns: 'urn:a' },
  ]).trimEnd()
  const bytes = bytesOf(text)
  for (let length = 0; length < bytes.length; length += 1) {
    assert.equal(
      refusalOf(catchRefusal(() => parseXml(bytes.subarray(0, length)))).code,
      'malformed',
      `${length} bytes`,
    )
  }
})

test('prefixes do not matter, namespaces do', () => {
  const names = ({ children }: XmlElement) => children.map(({ name }) => name)
  for (const text of [
    '<a xmlns="u"><b/></a>',
    '<p:a xmlns:p="u"><p:b/></p:a>',
    '<a xmlns="u"><q:b xmlns:q="u"/></a>',
  ]) {
    const { namespace, root } = accepted(read(text))
    assert.deepEqual([namespace, root.name, names(root)], ['u', 'a', ['b']], text)
  }
  assert.deepEqual(names(accepted(read('<a xmlns="u"><b xmlns="v"/></a>')).root), ['{v}b'])
  assert.deepEqual(names(accepted(read('<p:a xmlns:p="u"><b/></p:a>')).root), ['{}b'])
})

test('CDATA, references and comments are what XML says they are', () => {
  assert.equal(accepted(read('<a> 1<![CDATA[ & ]]>&amp;&#65;<!-- 5 --> </a>')).root.text, '1 & &A')
  assert.equal(accepted(read('\ufeff<a/>')).root.name, 'a')
})

test('everything is bounded', () => {
  assert.equal(refusalOf(read('<a>xxxx</a>', { maxBytes: 10 })).code, 'too_large')
  assert.equal(refusalOf(read('<a><b/><b/></a>', { maxElements: 2 })).code, 'too_large')
  assert.equal(accepted(read('<a><b/><b/></a>', { maxElements: 3 })).root.children.length, 2)
  assert.equal(refusalOf(read('<a><b><c/></b></a>', { maxDepth: 2 })).code, 'too_large')
  assert.equal(accepted(read('<a><b><c/></b></a>', { maxDepth: 3 })).root.name, 'a')
  assert.equal(refusalOf(read('<a x="1" y="2"/>', { maxAttributes: 1 })).code, 'too_large')
  assert.equal(refusalOf(read('<a>'.repeat(100_000))).code, 'too_large')
})

test('no name in a file makes its refusal long, or holds what a terminal obeys', () => {
  const long = 'é\u200d'.repeat(20_000)
  const attributes = Array.from({ length: 20 }, (_, index) => `a${index}="1"`).join(' ')
  for (const text of [
    `<${long}/>`,
    `<a><${long}>x<b/></${long}></a>`,
    `<${long} ${attributes}/>`,
    `<a xmlns="${long}"/>`,
  ]) {
    const { sentence } = refusalOf(readBankFile(bytesOf(text), RULES))
    assert.match(sentence, /^[\x20-\x7e…]{1,250}$/)
  }
})
