import { tmpdir } from 'node:os'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { globPattern } from '../../globPattern.ts'
import { errors } from './errors.ts'

/**
 * The files that Deno's functions can access, as on Supabase: those of `static_files` and of installed packages are
 * readable, /tmp is writable. This keeps functions portable; it is no security boundary, since Node's own functions
 * bypass it.
 */
export interface AllowedPaths {
  /** The path to read from. Throws NotFound. */
  toRead(path: string | URL): string
  /** The path to write to. Throws PermissionDenied. */
  toWrite(path: string | URL): string
}

const asPath = (path: string | URL): string => resolve(path instanceof URL ? fileURLToPath(path) : path)

/** @param globs absolute, of the files that may be read */
export function allowPaths(globs: string[]): AllowedPaths {
  const patterns = globs.map(globPattern)
  const temporary = [...new Set(['/tmp', resolve(tmpdir())])]
  const isTemporary = (path: string): boolean =>
    temporary.some((folder) => path === folder || path.startsWith(folder + sep))
  return {
    toRead(given) {
      const path = asPath(given)
      const isPackage = path.includes(`${sep}node_modules${sep}`)
      if (isPackage || isTemporary(path) || patterns.some((one) => one.test(path))) return path
      throw new errors.NotFound(
        `No such file for a function: ${path}. Name it in static_files of the function in config.toml.`,
      )
    },
    toWrite(given) {
      const path = asPath(given)
      if (isTemporary(path)) return path
      throw new errors.PermissionDenied(`A function can write below /tmp only, not to ${path}.`)
    },
  }
}
