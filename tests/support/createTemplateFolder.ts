import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Before all tests: creates the folder of templates for `copyTemplate`, unless `npm test` has created one for all of its
 * runners. Returns a function that removes it.
 */
export default function createTemplateFolder(): () => void {
  if (process.env['LINNET_TEMPLATE'] !== undefined) return () => {}
  const folder = mkdtempSync(join(tmpdir(), 'linnet-template-'))
  // Started as root, PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o755)
  process.env['LINNET_TEMPLATE'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
