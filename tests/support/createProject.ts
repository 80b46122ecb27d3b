import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Project {
  /** Its supabase folder. */
  dir: string
  /** Writes files of the supabase folder. */
  write(files: Record<string, string>): void
  remove(): void
}

/** Creates a Supabase project with these files in its supabase folder. */
export function createProject(files: Record<string, string>): Project {
  const project = mkdtempSync(join(tmpdir(), 'linnet-foreign-'))
  const dir = join(project, 'supabase')
  const write = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
  }
  write(files)
  return { dir, write, remove: () => rmSync(project, { recursive: true, force: true }) }
}
