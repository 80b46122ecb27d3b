import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { InstalledPackage } from './findPackage.ts'

/** A package as one import got it: looked for again, it must be the same for a kept module to be good. */
export interface UsedPackage {
  /** The name that was looked for, and the folder it was looked for from. */
  name: string
  from: string
  found: InstalledPackage
  isJsr: boolean
}

/** What was met while the imports of one function were resolved. */
export class ImportLedger {
  /** Sentences on imports that can't be had; any of them makes the function unloadable. */
  readonly problems = new Set<string>()
  /** Sentences on what is loaded nevertheless. */
  readonly warnings = new Set<string>()
  readonly packages = new Map<string, UsedPackage>()
  /** Files that are not there, whose coming would mend a problem. */
  readonly missing = new Set<string>()
  readonly projectDir: string

  /** @param projectDir the folder that holds `supabase/`: files are named from there. */
  constructor(projectDir: string) {
    this.projectDir = projectDir
  }

  /** "supabase/functions/pay/index.ts:3", the line being the first that has the specifier in quotes. */
  placeOf(importer: string, specifier: string): string {
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

  /** Notes where a package of that name would be found, were it installed in the project. */
  expectPackage(name: string, from: string): void {
    for (let folder = from; folder.startsWith(this.projectDir); folder = dirname(folder)) {
      this.missing.add(join(folder, 'node_modules', name, 'package.json'))
    }
  }
}
