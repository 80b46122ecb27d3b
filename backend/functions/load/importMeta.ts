import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

/** Offsets of each `import.meta` in the code. */
function findImportMeta(code: string, path: string): number[] {
  const found: number[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit)
    else if (node !== null && typeof node === 'object') {
      const { type, start } = node as { type?: string; start?: number }
      if (type === 'MetaProperty' && code.startsWith('import.meta', start)) found.push(start!)
      else Object.values(node).forEach(visit)
    }
  }
  const extension = /\.[cm]?(tsx?|jsx)$/.exec(path)?.[1] ?? 'js'
  visit(parseAst(code, { lang: extension as 'ts' }, path))
  return found
}

/**
 * Replaces `import.meta` by that of the file: in a bundle it would be the bundle's, and
 * `new URL('./page.html', import.meta.url)` would be relative to that. Lines and columns are preserved, except in the
 * first line. Throws if the code can't be parsed.
 */
export function pinImportMeta(code: string, path: string, isMain: boolean): string {
  const places = findImportMeta(code, path)
  if (places.length === 0) return code
  // Of the same length as the original, so that the source map remains valid.
  let pinned = code
  for (const at of places) pinned = `${pinned.slice(0, at)}import_meta${pinned.slice(at + 11)}`
  const url = JSON.stringify(pathToFileURL(path).href)
  const meta =
    `{ url: ${url}, filename: ${JSON.stringify(path)}, dirname: ${JSON.stringify(dirname(path))}, ` +
    `main: ${isMain}, resolve: (specifier) => new URL(specifier, ${url}).href }`
  return `const import_meta = ${meta}; ${pinned.replace(/^#!/, '//')}`
}
