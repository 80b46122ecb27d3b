import { expect, test } from 'vitest'
import { parsePackageSpecifier } from './packageSpecifier.ts'

test.each([
  ['stripe', { name: 'stripe', range: '', subpath: '' }],
  ['stripe@^14', { name: 'stripe', range: '^14', subpath: '' }],
  ['@supabase/supabase-js@2', { name: '@supabase/supabase-js', range: '2', subpath: '' }],
  ['hono@4.1.0/cors', { name: 'hono', range: '4.1.0', subpath: '/cors' }],
  ['/react@18/jsx-runtime', { name: 'react', range: '18', subpath: '/jsx-runtime' }],
  ['@std/encoding/base64', { name: '@std/encoding', range: '', subpath: '/base64' }],
  ['a@>=1 <3', { name: 'a', range: '>=1 <3', subpath: '' }],
  ['a/', { name: 'a', range: '', subpath: '' }],
])('%s', (text, wanted) => {
  expect(parsePackageSpecifier(text)).toEqual(wanted)
})

test.each(['', '../a', './a', '@', '@scope'])('%j is not a package specifier', (text) => {
  expect(parsePackageSpecifier(text)).toBeNull()
})
