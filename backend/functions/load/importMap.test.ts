import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { mapSpecifier, readImportMap } from './importMap.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-map-'))
afterAll(() => rmSync(dir, { recursive: true }))

function mapOf(tree: unknown, name = 'import_map.json') {
  const file = join(dir, name)
  writeFileSync(file, JSON.stringify(tree))
  return readImportMap(file, [])
}
const urlOf = (path: string): string => pathToFileURL(join(dir, path)).href
const importer = join(dir, 'hello/index.ts')

describe('imports', () => {
  const map = mapOf({
    imports: {
      stripe: 'npm:stripe@14',
      '@/': './',
      '@/special/': './elsewhere/',
      std: 'jsr:@std/encoding@1',
      './_shared/cors.ts': './_shared/other.ts',
      'https://deno.land/x/thing/': './vendor/thing/',
      plain: 'https://example.org/plain.ts',
    },
  })

  test.each([
    ['stripe', 'npm:stripe@14'],
    ['stripe/sub', 'npm:stripe@14/sub'],
    ['std/base64', 'jsr:@std/encoding@1/base64'],
    ['stripes', 'stripes'],
    ['plain/sub', 'plain/sub'],
    ['npm:zod@3', 'npm:zod@3'],
  ])('%s', (specifier, wanted) => {
    expect(mapSpecifier(map, specifier, importer)).toBe(wanted)
  })

  test.each([
    ['@/util.ts', 'util.ts'],
    ['@/special/a.ts', 'elsewhere/a.ts'],
    ['../_shared/cors.ts', '_shared/other.ts'],
    ['./near.ts', 'hello/near.ts'],
    ['https://deno.land/x/thing/mod.ts', 'vendor/thing/mod.ts'],
  ])('%s is the file %s', (specifier, wanted) => {
    expect(mapSpecifier(map, specifier, importer)).toBe(urlOf(wanted))
  })
})

test('a scope applies to its own modules, the longest first', () => {
  const map = mapOf({
    imports: { a: 'npm:a@1' },
    scopes: { './hello/': { a: 'npm:a@2' }, './hello/deep/': { a: 'npm:a@3' } },
  })
  expect(mapSpecifier(map, 'a', join(dir, 'other/index.ts'))).toBe('npm:a@1')
  expect(mapSpecifier(map, 'a', importer)).toBe('npm:a@2')
  expect(mapSpecifier(map, 'a', join(dir, 'hello/deep/x.ts'))).toBe('npm:a@3')
})

test('a deno.json without a map may name one', () => {
  mapOf({ imports: { a: './a.ts' } }, 'elsewhere.json')
  const file = join(dir, 'deno.json')
  writeFileSync(file, '{ "importMap": "./elsewhere.json" }')
  const files: string[] = []
  expect(mapSpecifier(readImportMap(file, files), 'a', importer)).toBe(urlOf('a.ts'))
  expect(files).toEqual([file, join(dir, 'elsewhere.json')])
})
