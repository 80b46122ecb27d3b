import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from 'tar-stream'

/**
 * Entries of the data folder that a backup omits: what has an own part, what is made again, and what belongs to one
 * process or one machine.
 */
const omitted =
  /^(postgres(-\d+|-next)?|postgres\..*|storage|unreferenced-files|logs|releases|backups|backup-state|functions|extensions|tls|running\.json|restored\.json|.*\.f?lock(\..*)?|.*\.new.*|.*\.partial|\.gitignore)$/

/** A larger file is not a setting. */
const maxFileBytes = 64 * 1024 * 1024

/**
 * A tar archive of the installation's own files beside database and storage: secrets, passwords, settings, the mailbox.
 * A file that is removed while the archive is written is omitted.
 */
export async function* readSettings(dataDir: string): AsyncGenerator<Buffer> {
  const archive = pack()
  const adding = (async () => {
    try {
      for await (const path of walk(dataDir, '')) {
        const stat = await lstat(join(dataDir, path)).catch(() => null)
        if (stat === null || !stat.isFile() || stat.size > maxFileBytes) continue
        const bytes = await readFile(join(dataDir, path)).catch(() => null)
        if (bytes === null) continue
        const header = { name: path, mode: stat.mode & 0o777, mtime: stat.mtime, size: bytes.length }
        await new Promise<void>((resolve, reject) => {
          archive.entry(header, bytes, (error) => (error ? reject(error) : resolve()))
        })
      }
      archive.finalize()
    } catch (error) {
      archive.destroy(error as Error)
    }
  })()
  for await (const chunk of archive) yield chunk as Buffer
  await adding
}

async function* walk(dataDir: string, folder: string): AsyncGenerator<string> {
  const entries = await readdir(join(dataDir, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (folder === '' && omitted.test(entry.name)) continue
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(dataDir, path)
    else if (entry.isFile()) yield path
  }
}
