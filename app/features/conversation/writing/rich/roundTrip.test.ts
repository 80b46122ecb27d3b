import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../../wire/body/cases.ts'
import { FRAGMENTS } from '../../../../../wire/body/testing/adversarialText.ts'
import { bodyOfDoc, docOfBody } from './body.ts'
import { canEditRich } from './canEditRich.ts'

const texts = array(constantFrom(...FRAGMENTS), { maxLength: 30 })

/** Texts with a backslash that prevents an address or a formula, and text that a typed sign would format. */
const SOURCE = new Set([
  String.raw`\$a$`,
  String.raw`\\*a*`,
  String.raw`https\://a.example/`,
  String.raw`$\<!here>$`,
])

test.each(cases)('$subject: $text means the same after it was edited', ({ text }) => {
  expect(canEditRich(text)).toBe(!SOURCE.has(text))
})

test('nearly all texts can be edited, and the others open as source', () => {
  let count = 0
  let source = 0
  assert(
    property(texts, (parts) => {
      count += 1
      if (!canEditRich(parts.join(''))) source += 1
    }),
    { numRuns: 2_000 },
  )
  expect(source / count).toBeLessThan(0.02)
})

test('a document that was read and written is read as the same document', () => {
  assert(
    property(texts, (parts) => {
      const doc = docOfBody(bodyOfDoc(docOfBody(parts.join(''), false), false), false)
      const body = bodyOfDoc(doc, false)
      const read = canEditRich(body) ? docOfBody(body, false) : doc
      expect(read.toJSON()).toEqual(doc.toJSON())
    }),
    { numRuns: 2_000 },
  )
})

test('a slash command is written as it was typed', () => {
  for (const body of ['/topic 2*3*4 and **all**', '/remind <@00000000-0000-4000-8000-00000000000a> to *eat*'])
    expect(bodyOfDoc(docOfBody(body, true), true)).toBe(body)
  expect(bodyOfDoc(docOfBody('/etc/hosts *a*', true), true)).toBe('/etc/hosts *a*')
  expect(bodyOfDoc(docOfBody('/me *waves*', false), false)).toBe('/me *waves*')
})

test('a text keeps the spaces at its end, so that one can type on', () => {
  for (const body of [
    'Hello ',
    '- one ',
    '> a\n> b ',
    'Ask <@00000000-0000-4000-8000-00000000000a> ',
    '**a** ',
  ])
    expect(docOfBody(body, false).textContent.endsWith(' ')).toBe(true)
  expect(docOfBody('```\na ', false).textContent).toBe('a ')
})
