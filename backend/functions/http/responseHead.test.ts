import { expect, it } from 'vitest'
import { parseResponseHead } from './responseHead.ts'

const headersOf = (...pairs: [string, string][]): object => {
  const { headers } = parseResponseHead(['', ...pairs.flat()].join('\n'))
  return headers
}

it('passes on headers of the response, which override the defaults', () => {
  expect(
    headersOf(['X-A', '1'], ['Cache-Control', 'max-age=1'], ['set-cookie', 'a=1'], ['set-cookie', 'b=2']),
  ).toEqual({
    'x-a': '1',
    'cache-control': 'max-age=1',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'set-cookie': ['a=1', 'b=2'],
  })
})

it.each([
  ['connection', 'close'],
  ['Transfer-Encoding', 'chunked'],
  ['Clear-Site-Data', '"*"'],
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['Service-Worker-Allowed', '/'],
  ['Alt-Svc', 'h3=":443"'],
  ['__proto__', 'x'],
])('drops headers of the connection and of the whole origin: %s', (name, value) => {
  expect(headersOf([name, value])).toEqual(headersOf())
})
