import { expect, test } from 'vitest'
import { parseConfiguredSize, parseFileSize } from './fileSize.ts'

test('the API counts in powers of ten', () => {
  expect(['20MB', '1.5kb', '3B', 7].map(parseFileSize)).toEqual([20_000_000, 1500, 3, 7])
})

test.each(['20', 'MB', '-1MB', '1TB', ' 1MB', -1, 1.5, Number.POSITIVE_INFINITY])(
  'the API refuses %j',
  (limit) => {
    expect(() => parseFileSize(limit)).toThrow('Invalid file size format')
  },
)

test('the configuration counts in powers of two', () => {
  expect(['50MiB', '50MB', '50m', '1GiB', '1024', '2 KiB'].map(parseConfiguredSize)).toEqual([
    52_428_800, 52_428_800, 52_428_800, 1_073_741_824, 1024, 2048,
  ])
  expect(['', 'lots', '-5MB', '1XB'].map(parseConfiguredSize)).toEqual([null, null, null, null])
})
