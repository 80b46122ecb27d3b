import { expect, it } from 'vitest'
import { findUnknownParameters, lacksNamedExport } from './docstrings.mjs'

it.each([
  ['/** Reads. @param path of it */ function read(path: string) {}', []],
  ['\n/** Reads. @param file of it */ function read(path: string) {}', ['file']],
  ['/** @param o.max bytes */ const read = (o: { max: number }) => 1', []],
  ['/** @param o.most bytes */ const read = (o: { max: number }) => 1', ['o.most']],
  ['/** @param o.max bytes */ const read = ({ max = 1 } = {}) => 1', []],
  ['/** @param o.max bytes */ const read = (o: Options) => 1', []],
])('%s', (text, expected) => {
  expect(findUnknownParameters(text).map(({ name }: { name: string }) => name)).toEqual(expected)
})

it.each([
  ['createPool.ts', 'export function createPool() {}', false],
  ['createPool.ts', 'export function openPool() {}', true],
  ['pool.ts', 'export function createPool() {}', false],
])('%s: %s', (path, text, expected) => {
  expect(lacksNamedExport(path, text)).toBe(expected)
})
