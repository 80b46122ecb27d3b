import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { StartError } from './StartError.ts'

/**
 * Creates the symlinks of the libraries, as the package's install script would; npm runs no install scripts.
 * Throws StartError where one is missing and can't be created.
 * @param root the package's `native` folder
 */
export function createLibraryLinks(root: string): void {
  const list = join(root, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, '..', target)
    const linkTarget = basename(source)
    try {
      if (pointsTo(link, linkTarget)) continue
      rmSync(link, { force: true })
      symlinkSync(linkTarget, link)
    } catch (error) {
      // Another start may have created the same link meanwhile.
      if (pointsTo(link, linkTarget)) continue
      throw new StartError(
        `PostgreSQL's library ${link} is missing and can't be created (${(error as NodeJS.ErrnoException).code}). ` +
          'Run Linnet once as the user who owns node_modules.',
      )
    }
  }
}

/** Whether `link` is a symlink to `linkTarget` or (some unpackers follow links) a file. */
function pointsTo(link: string, linkTarget: string): boolean {
  const stat = lstatSync(link, { throwIfNoEntry: false })
  if (!stat) return false
  return stat.isSymbolicLink() ? readlinkSync(link) === linkTarget : stat.size > 0
}
