import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { StartError } from '../server/StartError.ts'

/** Where extensions are that were built for this major version of PostgreSQL. */
export interface ExtensionFolder {
  /** Has the sub-folder `extension`, with control files and SQL. */
  control: string
  /** Shared libraries. */
  libraries: string
}

/** Where the packages of PostgreSQL's own repositories and of Homebrew put them. */
const standardFolders = (major: number): ExtensionFolder[] => [
  { control: `/usr/share/postgresql/${major}`, libraries: `/usr/lib/postgresql/${major}/lib` },
  { control: `/usr/pgsql-${major}/share`, libraries: `/usr/pgsql-${major}/lib` },
  ...['/opt/homebrew', '/usr/local'].map((root) => ({
    control: `${root}/share/postgresql@${major}`,
    libraries: `${root}/lib/postgresql@${major}`,
  })),
]

/**
 * Folders of extensions on this machine beside those that the embedded PostgreSQL brings: of an installed PostgreSQL of
 * the same major version, and the folders that LINNET_EXTENSIONS names, each with `extension` and `lib` in it. Throws
 * StartError where such a folder is not there.
 */
export function findInstalledExtensions(
  major: number,
  named: string | undefined = process.env['LINNET_EXTENSIONS'],
): ExtensionFolder[] {
  const listed = (named ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of listed) {
    if (isAbsolute(folder) && existsSync(join(folder, 'extension'))) continue
    throw new StartError(
      `LINNET_EXTENSIONS must name folders by their whole path, each with the folders "extension" and "lib" in it: ${folder} is none.`,
    )
  }
  return [
    ...listed.map((folder) => ({ control: folder, libraries: join(folder, 'lib') })),
    ...standardFolders(major).filter(({ control }) => existsSync(join(control, 'extension'))),
  ]
}
