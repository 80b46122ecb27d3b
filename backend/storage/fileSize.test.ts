import { expect, test } from 'vitest'
import { parseFileSize } from './fileSize.ts'

test('the API counts in powers of ten', () => {
  expect(['20MB', '1.5kb', '3B', 7].map(parseFileSize)).toEqual([20_000_000, 1500, 3, 7])
})

test.each(['20', 'MB', '-1MB', '1TB', ' 1MB', -1, 1.5, Number.POSITIVE_INFINITY])(
  'the API refuses %j',
  (limit) => {
    expect(() => parseFileSize(limit)).toThrow('Invalid file size format')
  },
)
