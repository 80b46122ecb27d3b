import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

/** The `type` of the package that a file is in. */
function typeOf(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string }).type
  const above = dirname(folder)
  return above === folder ? undefined : typeOf(above)
}

/** Whether Node loads the file as CommonJS. */
export function isCommonJs(path: string): boolean {
  const extension = extname(path)
  return extension === '.cjs' || (extension === '.js' && typeOf(dirname(path)) !== 'module')
}
