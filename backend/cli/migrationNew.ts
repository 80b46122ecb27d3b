import { fstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listMigrations } from '../postgres/schema/migrationFiles.ts'
import { defineCommand } from './Command.ts'
import { projectOptions, requireProject } from './findProject.ts'
import { migrationName, nextVersion } from './migrationName.ts'

/** Standard input if it is a pipe or a file; empty for a terminal or no input. */
function readInput(): string {
  const input = fstatSync(0)
  return input.isFIFO() || input.isFile() || input.isSocket() ? readFileSync(0, 'utf8') : ''
}

/** `linnet migration new`: creates a file that is empty or contains standard input. */
export const migrationNew = defineCommand({
  name: 'migration new',
  group: 'Database',
  summary: 'Create a migration file, with standard input as its content',
  args: ['<name>'],
  options: { supabase: projectOptions.supabase },
  async run({ supabaseDir, isInProject, args: [name = ''] }) {
    requireProject({ isInProject })
    const slug = migrationName(name)
    const versions = listMigrations(supabaseDir).migrations.map((migration) => migration.version)
    const file = join(supabaseDir, 'migrations', `${nextVersion(versions)}_${slug}.sql`)
    mkdirSync(join(supabaseDir, 'migrations'), { recursive: true })
    writeFileSync(file, readInput(), { flag: 'wx' })
    process.stdout.write(`${file}\n`)
    return 0
  },
})
