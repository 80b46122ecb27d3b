import { expect, it } from 'vitest'
import { htmlToText } from './htmlToText.ts'

it('keeps the URL of a link after its text', () => {
  expect(htmlToText('<p><a href="https://x.example/a?b=1&amp;c=2">Go on</a></p>')).toBe(
    'Go on: https://x.example/a?b=1&c=2',
  )
})

// Formatters break long tags before their end; the text part then lost its only link.
it('reads end tags with line breaks', () => {
  expect(htmlToText('<p>\n<a\n href="https://x.example/"\n >Go on</a\n></p\n><p>Then</p>')).toBe(
    'Go on: https://x.example/\n\nThen',
  )
})
