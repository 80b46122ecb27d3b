import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { InstalledPackage } from './findPackage.ts'

/** A package that an import resolved to: a cached module is valid only if resolving it again gives the same. */
export interface UsedPackage {
  /** The resolved name, and the folder it was resolved from. */
  name: string
  from: string
  found: InstalledPackage
  isJsr: boolean
}

/** Results of resolving the imports of one function. */
export class ImportLog {
  /** Messages about imports that can't be resolved; any of them prevents loading. */
  readonly problems = new Set<string>()
  /** Messages about imports that are loaded nevertheless. */
  readonly warnings = new Set<string>()
  readonly packages = new Map<string, UsedPackage>()
  /** Missing files whose creation would fix a problem. */
  readonly missing = new Set<string>()
  readonly projectDir: string

  /** @param projectDir the folder that contains `supabase/`; file names are relative to it */
  constructor(projectDir: string) {
    this.projectDir = projectDir
  }

  /** "supabase/functions/pay/index.ts:3", with the first line that contains the specifier in quotes. */
  locationOf(importer: string, specifier: string): string {
    const file = relative(this.projectDir, importer)
    const line = existsSync(importer)
      ? readFileSync(importer, 'utf8')
          .split('\n')
          .findIndex((text) => text.includes(`'${specifier}'`) || text.includes(`"${specifier}"`))
      : -1
    return line < 0 ? file : `${file}:${line + 1}`
  }

  /** In the order of files and lines. */
  sortedProblems(): string[] {
    return [...this.problems].sort(new Intl.Collator('en', { numeric: true }).compare)
  }

  use(one: UsedPackage): void {
    this.packages.set(JSON.stringify([one.name, one.from, one.isJsr]), one)
  }

  /** Adds the files where a package of that name would be installed in the project. */
  addMissingPackage(name: string, from: string): void {
    for (let folder = from; folder.startsWith(this.projectDir); folder = dirname(folder)) {
      this.missing.add(join(folder, 'node_modules', name, 'package.json'))
    }
  }
}
