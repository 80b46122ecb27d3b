import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Before all tests: the folder in which `fromTemplate` keeps what is made once a run. Answers what removes it. */
export default function createTemplateFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-template-'))
  // Started as root, PostgreSQL runs as another user, who has to get through.
  chmodSync(folder, 0o755)
  process.env['LINNET_TEMPLATE'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
