import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

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

/** Two workers may create it at the same time: the second uses the template of the first. */
async function createTemplate(
  folder: string,
  template: string,
  create: (folder: string) => Promise<void>,
): Promise<void> {
  const created = mkdtempSync(join(folder, 'new-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(created, 0o755)
  await create(created)
  try {
    renameSync(created, template)
  } catch (error) {
    rmSync(created, { recursive: true, force: true })
    if (!existsSync(template)) throw error
  }
}
