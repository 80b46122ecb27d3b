import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * For tests: fills the folder `into`, created where missing, with a copy of what `create` puts into a new folder once
 * for each test run. Returns false, and does nothing, unless LINNET_TEMPLATE names the folder of templates.
 */
export async function copyTemplate(
  name: string,
  into: string,
  create: (folder: string) => Promise<void>,
): Promise<boolean> {
  const folder = process.env['LINNET_TEMPLATE']
  if (folder === undefined) return false
  const template = join(folder, name)
  if (!existsSync(template)) await createTemplate(folder, template, create)
  mkdirSync(into, { recursive: true, mode: 0o711 })
  const files = readdirSync(template).map((one) => join(template, one))
  const { status, stderr } = spawnSync('cp', ['-Rp', ...files, into], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return true
}

/** One worker creates it, while the others wait: on busy cores each would take as long as all together. */
async function createTemplate(
  folder: string,
  template: string,
  create: (folder: string) => Promise<void>,
): Promise<void> {
  const lock = `${template}.creating`
  while (!existsSync(template)) {
    if (!createFolder(lock)) {
      await wait(50)
      continue
    }
    try {
      if (existsSync(template)) return
      const created = mkdtempSync(join(folder, 'new-'))
      // Started as root, PostgreSQL runs as another user, who needs access.
      chmodSync(created, 0o755)
      await create(created)
      renameSync(created, template)
    } finally {
      rmdirSync(lock)
    }
  }
}

/** False where it exists. */
function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
