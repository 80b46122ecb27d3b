import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { StartError } from '../server/StartError.ts'

/** Directories of extensions built for this major version of PostgreSQL. */
export interface ExtensionFolder {
  /** Contains the folder `extension` with control files and SQL. */
  control: string
  /** Shared libraries. */
  libraries: string
}

/** Where the packages of PostgreSQL's repositories and of Homebrew install them. */
const standardFolders = (major: number): ExtensionFolder[] => [
  { control: `/usr/share/postgresql/${major}`, libraries: `/usr/lib/postgresql/${major}/lib` },
  { control: `/usr/pgsql-${major}/share`, libraries: `/usr/pgsql-${major}/lib` },
  ...['/opt/homebrew', '/usr/local'].map((root) => ({
    control: `${root}/share/postgresql@${major}`,
    libraries: `${root}/lib/postgresql@${major}`,
  })),
]

/**
 * Folders of further extensions on this machine: those of an installed PostgreSQL of the same major version, and those
 * that LINNET_EXTENSIONS lists, each with `extension` and `lib` in it. Throws StartError where a listed folder is
 * missing.
 */
export function findInstalledExtensions(
  major: number,
  named: string | undefined = process.env['LINNET_EXTENSIONS'],
): ExtensionFolder[] {
  const listed = (named ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of listed) {
    if (isAbsolute(folder) && existsSync(join(folder, 'extension'))) continue
    throw new StartError(
      `LINNET_EXTENSIONS must list absolute paths of folders, each with the folders "extension" and "lib" in it: ${folder} is not one.`,
    )
  }
  return [
    ...listed.map((folder) => ({ control: folder, libraries: join(folder, 'lib') })),
    ...standardFolders(major).filter(({ control }) => existsSync(join(control, 'extension'))),
  ]
}
