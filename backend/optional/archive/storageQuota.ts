import { ArchiveError } from './ImportRequest.ts'
import type { Connection } from './importTransaction.ts'

const namesPerQuery = 10_000
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Fails with ArchiveError if a workspace cannot store so many more bytes of files. A workspace that does not exist has no quota yet. */
export async function checkStorageQuota(
  database: Connection,
  workspaceId: string,
  bytes: number,
): Promise<void> {
  const { rows } = await database.query<{ used_bytes: string; max_bytes: string }>(
    'select used_bytes, max_bytes from public.workspace_storage where workspace_id = $1',
    [workspaceId],
  )
  if (rows.length === 0 || bytes === 0) return
  const [used, max] = [Number(rows[0]!.used_bytes), Number(rows[0]!.max_bytes)]
  if (used + bytes > max)
    throw new ArchiveError(
      `The new files need ${megabytes(bytes)}, and the workspace uses ${megabytes(used)} of its ${megabytes(max)}. An owner can raise the limit in Settings, on the page "File storage".`,
    )
}

/** The size of the files that the storage service does not have yet. */
export async function sumNewBytes(
  database: Connection,
  files: readonly { name: string; bytes: number }[],
): Promise<number> {
  let sum = 0
  for (let start = 0; start < files.length; start += namesPerQuery) {
    const part = files.slice(start, start + namesPerQuery)
    const { rows } = await database.query<{ name: string }>(
      'select s.name from public.stored_files s where s.name = any ($1)',
      [part.map(({ name }) => name)],
    )
    const stored = new Set(rows.map(({ name }) => name))
    for (const { name, bytes } of part) if (!stored.has(name)) sum += bytes
  }
  return sum
}
