import { expect, test } from 'vitest'
import { waveformOf } from './waveform.ts'

test('has at most 64 amplitudes, the loudest 100', () => {
  expect(waveformOf([0.1, 0.2, 0.05])).toEqual([50, 100, 25])
  const long = waveformOf(Array.from({ length: 6_000 }, (_, index) => (index === 3_000 ? 1 : 0.25)))
  expect(long).toHaveLength(64)
  expect(Math.max(...long)).toBe(100)
  expect(long.filter((one) => one === 25)).toHaveLength(63)
})

test('is silent for silence, and has one amplitude for no level at all', () => {
  expect(waveformOf([0, 0])).toEqual([0, 0])
  expect(waveformOf([])).toEqual([0])
})
