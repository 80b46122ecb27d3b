import { expect, test } from 'vitest'
import { parseConfiguredSize } from './configuredSize.ts'

test('the configuration counts in powers of two', () => {
  expect(['50MiB', '50MB', '50m', '1GiB', '1024', '2 KiB'].map(parseConfiguredSize)).toEqual([
    52_428_800, 52_428_800, 52_428_800, 1_073_741_824, 1024, 2048,
  ])
  expect(['', 'lots', '-5MB', '1XB'].map(parseConfiguredSize)).toEqual([null, null, null, null])
})
