import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { downloadZip } from 'client-zip'

/** The files of an export by their paths. Values that are not bytes or texts are written as JSON. */
export type FixtureFiles = Record<string, unknown>

const bytesOf = (content: unknown): string | Uint8Array =>
  typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)

/** Writes an export as a folder, and returns its path. */
export function writeExportFolder(files: FixtureFiles): string {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-export-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytesOf(content))
  }
  return folder
}

/** Writes an export as a ZIP, and returns its path. */
export async function writeExportZip(files: FixtureFiles): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'linnet-export-')), 'export.zip')
  const entries = Object.entries(files).map(([name, content]) => ({ name, input: bytesOf(content) }))
  writeFileSync(path, Buffer.from(await downloadZip(entries).arrayBuffer()))
  return path
}
