import { expect, it } from 'vitest'
import { htmlToText } from './htmlToText.ts'

it('keeps the address of a link beside its words', () => {
  expect(htmlToText('<p><a href="https://x.example/a?b=1&amp;c=2">Go on</a></p>')).toBe(
    'Go on: https://x.example/a?b=1&c=2',
  )
})

// A formatter breaks long tags before their end; the plain part of the mail then lost its only link.
it('reads end tags that a formatter has broken', () => {
  expect(htmlToText('<p>\n<a\n href="https://x.example/"\n >Go on</a\n></p\n><p>Then</p>')).toBe(
    'Go on: https://x.example/\n\nThen',
  )
})
