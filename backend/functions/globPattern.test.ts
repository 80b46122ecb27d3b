import { expect, test } from 'vitest'
import { globPattern } from './globPattern.ts'

test.each([
  ['/p/functions/a/*.html', '/p/functions/a/page.html'],
  ['/p/functions/a/page.html', '/p/functions/a/page.html'],
  ['/p/functions/**/*.txt', '/p/functions/x.txt'],
  ['/p/functions/**/*.txt', '/p/functions/a/b/x.txt'],
  ['/p/**', '/p/a/b'],
  ['/p/**/**/*.txt', '/p/a/b/c/x.txt'],
  ['/p/**/**', '/p/a/b'],
  ['/p/a?.md', '/p/ab.md'],
  ['/p/[a-c].md', '/p/b.md'],
  ['/p/[!a-c].md', '/p/d.md'],
  ['/p (1)/{x}+.md', '/p (1)/{x}+.md'],
])('%s matches %s', (glob, path) => {
  expect(globPattern(glob).test(path)).toBe(true)
})

test.each([
  ['/p/functions/a/*.html', '/p/functions/a/b/page.html'],
  ['/p/functions/a/*.html', '/p/functions/a/pagexhtml'],
  ['/p/a?.md', '/p/a/.md'],
  ['/p/[!a-c].md', '/p/b.md'],
  // Each of so many that could take any of so many folders would not come to an end.
  [`/${'**/'.repeat(30)}x`, `/${'a/'.repeat(60)}y`],
])('%s does not match %s', (glob, path) => {
  expect(globPattern(glob).test(path)).toBe(false)
})
