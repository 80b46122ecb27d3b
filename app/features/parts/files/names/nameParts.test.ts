import { expect, test } from 'vitest'
import { nameParts } from './nameParts.ts'

test('a short name is not split', () => {
  expect(nameParts('rota.png')).toEqual(['rota.png', ''])
  expect(nameParts('')).toEqual(['', ''])
})

test.each([
  ['Minutes of the meeting of the co-operative, November.pdf', 'ember.pdf'],
  ['a name without an ending that goes on and on', 'nd on'],
  ['.a-hidden-file-with-a-very-long-name', '-name'],
  ['version 1.2 of what we said to the landlord', 'dlord'],
])('%s keeps its ending', (name, ending) => {
  expect(nameParts(name).join('')).toBe(name)
  expect(nameParts(name)[1]).toBe(ending)
})

test('a grapheme of several code points is not split', () => {
  const family = '👨‍👩‍👧‍👦'
  const [head, tail] = nameParts(`${family.repeat(6)}.jpg`)
  expect(head).toBe(family)
  expect(tail).toBe(`${family.repeat(5)}.jpg`)
})

test('joined letters are not split', () => {
  expect(nameParts('محضر الاجتماع السنوي للجمعية التعاونية.pdf')).toEqual([
    'محضر الاجتماع السنوي للجمعية التعاونية',
    '.pdf',
  ])
})

test('a name with direction overrides shows its real extension', () => {
  const [head, tail] = nameParts('harmless holiday photo \u202egpj.exe')
  expect(head + tail).toBe('harmless holiday photo gpj.exe')
  expect(tail.endsWith('.exe')).toBe(true)
})
