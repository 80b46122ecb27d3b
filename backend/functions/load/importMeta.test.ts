import { expect, test } from 'vitest'
import { pinImportMeta } from './importMeta.ts'

const path = '/project/functions/hello/index.ts'

test('every import.meta is the file’s own, and nothing else changes', () => {
  const code = [
    'const é: string = "import.meta.url" // import.meta',
    'export default [import.meta.url, import.meta.dirname, import.meta.filename, import.meta.main,',
    '  import.meta.resolve("./a.txt")]',
  ].join('\n')
  const pinned = pinImportMeta(code, path, true)
  expect(pinned).toContain('const é: string = "import.meta.url" // import.meta\n')
  const js = pinned.replace(': string', '').replace('export default', 'return')
  // oxlint-disable-next-line no-new-func -- what was written is what must run
  expect(new Function(js)()).toEqual([
    'file:///project/functions/hello/index.ts',
    '/project/functions/hello',
    path,
    true,
    'file:///project/functions/hello/a.txt',
  ])
})

test('code that only mentions it is unchanged', () => {
  const code = '// import.meta\nexport const a = "import.meta"'
  expect(pinImportMeta(code, path, false)).toBe(code)
})

test('JSX and types are parsed by file extension', () => {
  expect(pinImportMeta('export default <a>{import.meta.url}</a>', '/a/b.tsx', false)).toContain(
    '<a>{import_meta.url}</a>',
  )
})
